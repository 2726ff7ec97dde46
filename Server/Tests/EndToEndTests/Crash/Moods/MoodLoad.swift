import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization
import TestKit

/// Four clients that create moods, each with two photos and a voice note, until `stop()` is called or the server no longer responds.
final class MoodLoad: Sendable {
    private let url: String
    private let person: (id: String, token: String)
    private let photoSizes: [Int]
    private let counts = Mutex((sent: 0, acknowledged: Set<String>(), byteCount: 0, refused: [String](), isStopped: false))

    /// - Parameter photoSizes: the numbers of bytes that are appended to a small JPEG. Photos have each of them equally often.
    init(url: String, person: (id: String, token: String), photoSizes: [Int] = [100, 3_000, 20_000, 60_000]) {
        self.url = url
        self.person = person
        self.photoSizes = photoSizes
    }

    var sent: Int { counts.withLock { $0.sent } }
    /// The ids of the moods that were answered 200.
    var acknowledged: Set<String> { counts.withLock { $0.acknowledged } }
    var acknowledgedCount: Int { counts.withLock { $0.acknowledged.count } }
    /// The size of the files of the moods that were answered 200.
    var acknowledgedByteCount: Int { counts.withLock { $0.byteCount } }
    /// Other responses; there should be none.
    var refused: [String] { counts.withLock { $0.refused } }

    func stop() { counts.withLock { $0.isStopped = true } }

    func run() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    while !self.counts.withLock({ $0.isStopped }), (try? await self.createOnce()) != nil {}
                }
            }
        }
    }

    private func createOnce() async throws {
        let mood = try SentMood(photoSizes: photoSizes)
        var request = HTTPClientRequest(url: "\(url)/api/users/user/\(person.id)/moods/swift")
        request.method = .POST
        request.headers.add(name: "Authorization", value: "Bearer \(person.token)")
        request.headers.add(name: "Content-Type", value: mood.body.contentType)
        request.body = .bytes(ByteBuffer(bytes: mood.body.data))
        counts.withLock { $0.sent += 1 }
        let response = try await campaignClient.execute(request, timeout: .seconds(20))
        let answer = Data(try await response.body.collect(upTo: 1_048_576).readableBytesView)
        let json = try JSONSerialization.jsonObject(with: answer) as? [String: Any]
        let id = (json?["mood"] as? [String: Any])?["id"] as? String
        counts.withLock { counts in
            if response.status == .ok, let id {
                counts.acknowledged.insert(id)
                counts.byteCount += mood.fileByteCount
            } else {
                counts.refused.append("\(response.status.code) \(String(decoding: answer.prefix(200), as: UTF8.self))")
            }
        }
    }
}

/// A mood whose note contains the hashes of its files, so that the campaign can check later whether it is complete.
struct SentMood {
    private(set) var body = MultipartBody()
    /// The size of its three files.
    let fileByteCount: Int

    init(photoSizes: [Int]) throws {
        let photos = [try Self.photo(photoSizes.randomElement()!), try Self.photo(photoSizes.randomElement()!)]
        let voice = Self.voice()
        fileByteCount = (photos + [voice]).reduce(0) { $0 + $1.count }
        body.add("mood", "happy")
        // Parts may come in any order.
        let isVoiceFirst = Bool.random()
        if isVoiceFirst { body.add("voiceNote", fileName: "mood_voice_1.m4a", type: "audio/m4a", voice) }
        for (number, photo) in photos.enumerated() { body.add("file", fileName: "mood_image\(number).jpg", photo) }
        if !isVoiceFirst { body.add("voiceNote", fileName: "mood_voice_1.m4a", type: "audio/m4a", voice) }
        body.add("note", (photos + [voice]).map(Load.hash).joined(separator: ","))
        body.add("tags", "campaign,\(Int.random(in: 0..<100))")
        body.close()
    }

    /// A unique JPEG: random bytes follow its end, where cameras store their own data.
    private static func photo(_ size: Int) throws -> Data { Data(try RealFile.bytes("baseline.jpg")) + random(size) }

    /// A WAV of noise, 8 kHz, 16 bits, one channel, 0.1 to 2 seconds.
    private static func voice() -> Data {
        let noise = random([1_600, 8_000, 32_000].randomElement()!)
        func number<T: FixedWidthInteger>(_ value: T) -> Data { withUnsafeBytes(of: value.littleEndian) { Data($0) } }
        let format =
            number(UInt16(1)) + number(UInt16(1)) + number(UInt32(8_000)) + number(UInt32(16_000)) + number(UInt16(2)) + number(UInt16(16))
        let chunks = Data("WAVEfmt ".utf8) + number(UInt32(16)) + format + Data("data".utf8) + number(UInt32(noise.count)) + noise
        return Data("RIFF".utf8) + number(UInt32(chunks.count)) + chunks
    }

    private static func random(_ count: Int) -> Data {
        // Does not make the bytes one at a time, because the copy campaign sends 10 GB.
        Data(BlobStoreSuite.bytes(count, seed: UInt64.random(in: .min ... .max)))
    }
}
