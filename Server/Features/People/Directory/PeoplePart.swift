import FeatureKit
import Web

/// A part of the People feature. `PeopleFeature` lists the parts.
protocol PeoplePart: FeaturePart {
    /// See `Feature.surfaces`.
    static var surfaces: [PathSurface] { get }
}
