package import Accounts
package import Database
package import FeatureKit
package import Media
package import Web

/// People (surface 1): profiles, contacts, friends, blocks and reports.
package struct PeopleFeature: Feature {
    package init(_ context: FeatureContext, accounts: AccountsFeature, library: MediaLibrary, coves: any CoveLookup) {}

    package static var migrations: [Migration] { DirectoryMigrations.all }
    package static let openAPI = PackageResources.openapi_yaml

    package func addRoutes(to routes: Routes) {}
}
