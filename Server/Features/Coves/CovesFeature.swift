package import Accounts
package import Database
package import FeatureKit
package import Media
package import People
package import Web

/// Coves (surface 1): groups with members, invitations, events and a calendar.
package struct CovesFeature: Feature {
    package init(_ context: FeatureContext, accounts: AccountsFeature, people: PeopleFeature, library: MediaLibrary) {}

    package static var migrations: [Migration] { CoveMigrations.all }
    package static let openAPI = PackageResources.openapi_yaml

    package func addRoutes(to routes: Routes) {}
}
