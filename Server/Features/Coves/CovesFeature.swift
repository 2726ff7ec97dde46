package import Accounts
package import Database
package import FeatureKit
package import Jobs
package import Media
package import People
package import Web

/// Coves (surface 1): groups with members, invitations, events and a calendar.
package struct CovesFeature: Feature {
    private let announcements: Announcements

    package init(_ context: FeatureContext, accounts: AccountsFeature, people: PeopleFeature, library: MediaLibrary) {
        announcements = Announcements(context)
    }

    package static var migrations: [Migration] { CoveMigrations.all + Announcements.migrations }
    package static var personalTables: [PersonalTable] { Announcements.personalTables }
    package static let openAPI = PackageResources.openapi_yaml

    package var jobs: [JobHandler] { announcements.jobs }

    package func addRoutes(to routes: Routes) {}
}
