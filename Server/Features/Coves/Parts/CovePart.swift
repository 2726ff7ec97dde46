import FeatureKit

/// A part of the feature. `CovesFeature` lists the parts.
protocol CovePart: FeaturePart {
    /// See `Feature.fileUses`. Empty by default.
    static var fileUses: [FileUse] { get }
}

extension CovePart {
    static var fileUses: [FileUse] { [] }
}
