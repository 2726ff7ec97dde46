import Foundation
import KeepsakeWire
import Testing

@Suite("Words of the API")
struct WireWordTests {
    @Test("a word of a newer server decodes, is kept and is encoded as it came")
    func newer() throws {
        try check(CapsuleStatus.self)
        try check(CaptureStatus.self)
        try check(CoveJoining.self)
        try check(CoveRole.self)
        try check(FriendRequestStatus.self)
        try check(RSVPStatus.self)
        try check(ReportKind.self)
        try check(ReportStatus.self)
        try check(AdminJobState.self)
    }

    private func check<Word: WireWord>(_: Word.Type) throws {
        let json = Data(#"["archived"]"#.utf8)
        let word = try #require(try JSONDecoder().decode([Word].self, from: json).first)
        #expect(word.rawValue == "archived" && !word.isKnown && "\(word)" == "archived")
        #expect(try JSONEncoder().encode([word]) == json)
        let known = Array(Word.allCases)
        #expect(Set(known).count == known.count && known.allSatisfy(\.isKnown))
        #expect(try JSONDecoder().decode([Word].self, from: JSONEncoder().encode(known)) == known)
    }

    @Test("a capsule with a status of a newer server decodes")
    func capsule() throws {
        var capsule = Capsule(
            id: "c", userId: "u", audioURL: nil, transcription: nil, duration: 1, fileSize: 1, createdAt: Date(timeIntervalSince1970: 0),
            updatedAt: Date(timeIntervalSince1970: 0), status: .completed, metadata: nil)
        capsule.status = CapsuleStatus(rawValue: "archived")
        let json = try Surface.capsules.makeEncoder().encode(capsule)
        #expect(try Surface.capsules.makeDecoder().decode(Capsule.self, from: json) == capsule)
    }
}
