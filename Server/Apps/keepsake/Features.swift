import AccountData
import Accounts
import Capsules
import Media
import Moments
import Search
import Timeline
import Web

extension Backend {
    /// THE list of features, in the order their migrations first run.
    static let featureTypes: [any Feature.Type] = [
        AccountsFeature.self, TimelineFeature.self, SearchFeature.self, MediaFeature.self, MomentsFeature.self,
        CapsulesFeature.self, AccountDataFeature.self,
    ]
    var features: [any Feature] { [accounts, timeline, search, media, moments, capsules, accountData] }
}
