import Blobs
import Core
import NIOCore
import TestKit
import Testing

@Suite("Combining marks in forms")
struct UploadMarksTests {
    @Test("names and texts of a form with too many in a row are refused")
    func refused() async throws {
        let folder = try TemporaryFolder()
        let store = try await LocalBlobStore.open(folder: folder.path, removingLeftovers: true)
        let rules = UploadRules(kinds: [], textFields: ["note"], keepsTheOthers: false)
        let session = UploadSession(rules: rules, gate: UploadGate(store: store), owner: "ada")
        let marks = "a" + String(repeating: "\u{301}", count: 1_000)
        var problems: [Problem] = []
        for (field, fileName) in [(marks, nil), ("other", marks)] as [(String, String?)] {
            do {
                try session.begin(field: field, fileName: fileName)
            } catch let problem as Problem {
                problems.append(problem)
            }
        }
        try session.begin(field: "note", fileName: nil)
        // The marks are also found if they arrive in two pieces.
        for _ in 0..<2 { try await session.append(ByteBuffer(string: String(repeating: "\u{301}", count: 16))) }
        do {
            try await session.end()
        } catch let problem as Problem {
            problems.append(problem)
        }
        let expected = ["The name of a field", "filename", "note"].map { "\($0) has more than 30 combining marks in a row." }
        #expect(problems.map(\.message) == expected)
        #expect(problems.last?.field == "note" && problems.allSatisfy { $0.kind == .invalid })
        await session.abort()
        await store.close()
    }
}
