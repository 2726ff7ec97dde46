import Accounts
import Core
import Foundation

/// Prepares a first photo upload for `keepsake serve --welcome`: a file with which a new user can upload a photo by one curl command.
struct FirstPhoto: Sendable {
    private let path: String
    private let userID: String
    private let accessToken: Secret<String>

    static func prepare(_ backend: Backend) async throws -> FirstPhoto {
        let issued = try await backend.accounts.issueToken(email: "you@example.org", isAdmin: false)
        return FirstPhoto(
            path: backend.settings.dataFolder + "/first-photo.curl", userID: issued.userID, accessToken: Secret(issued.accessToken))
    }

    /// Writes the address and the token into a file that only this user can read, so that the token is not printed.
    func explain(_ address: String) -> String {
        let content = """
            header = "Authorization: Bearer \(accessToken.exposed)"
            url = "\(address)/api/users/user/\(userID)/multimedia/swift"

            """
        guard FileManager.default.createFile(atPath: path, contents: Data(content.utf8), attributes: [.posixPermissions: 0o600]) else {
            return "\(path) cannot be written; create a token with: keepsake token --email you@example.org"
        }
        return """

            Send a first photo from another terminal, in this folder (any JPEG will do; the token in the file is valid for an hour):

              curl -K \(path) -F file=@photo.jpg

            and open the "url" of the answer in a browser.

            """
    }
}
