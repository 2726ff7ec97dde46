import Accounts
import Media
import Search
import Web

extension Backend {
    /// THE list of features, in the order their migrations first run.
    static let featureTypes: [any Feature.Type] = [AccountsFeature.self, SearchFeature.self, MediaFeature.self]
    var features: [any Feature] { [accounts, search, media] }
}
