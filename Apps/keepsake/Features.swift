import Accounts
import Media
import Web

extension Backend {
    /// THE list of features, in the order their migrations first run.
    static let featureTypes: [any Feature.Type] = [AccountsFeature.self, MediaFeature.self]
    var features: [any Feature] { [accounts, media] }
}
