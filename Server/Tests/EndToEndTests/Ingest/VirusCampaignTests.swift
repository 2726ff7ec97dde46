import AsyncHTTPClient
import Foundation
import KeepsakeWire
import MediaTools
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Synchronization
import TestKit
import TestThreads
import Testing

/// No infected file is readable.
@Suite("Campaign: viruses", .blocksThreads)
struct VirusCampaignTests {
    private struct Sent: Sendable {
        let isInfected: Bool
        let status: Int
    }

    private struct Found: Sendable {
        var clean = 0
        var infected = 0
    }

    private static let marks = ["clean-", "infected-"]

    private func request(_ method: String, _ path: String, _ port: Int, _ person: CampaignPerson) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: path.hasPrefix("http") ? path : "http://127.0.0.1:\(port)\(path)")
        request.method = .RAW(value: method)
        request.headers.add(name: "Authorization", value: "Bearer \(person.token)")
        return request
    }

    private func send(_ file: Data, isInfected: Bool, _ number: Int, _ port: Int, _ person: CampaignPerson) async throws -> Sent {
        let body = MultipartBody.file("\(isInfected ? "infected" : "clean")-\(number).mp4", file)
        var request = request("POST", person.library + "/swift", port, person)
        request.headers.add(name: "Content-Type", value: body.contentType)
        request.body = .bytes(ByteBuffer(bytes: body.data))
        let status = try await MissedAnswer.unless { try await HTTPClient.shared.execute(request, timeout: .seconds(120)).status.code }
        return Sent(isInfected: isInfected, status: Int(status ?? 0))
    }

    /// Counts the person's files that are readable now, infected and clean.
    private func look(_ port: Int, _ person: CampaignPerson, readingAll: Bool) async throws -> Found {
        var found = Found()
        var cursor: String?
        repeat {
            let path = person.library + "?limit=100" + (cursor.map { "&cursor=\($0)" } ?? "")
            let response = try await HTTPClient.shared.execute(request("GET", path, port, person), timeout: .seconds(60))
            let page = try JSONDecoder().decode(
                MediaListResponse.self, from: Data(buffer: try await response.body.collect(upTo: 1_048_576)))
            for file in page.files {
                var isInfected = file.name.hasPrefix("infected")
                if readingAll {
                    let answer = try await HTTPClient.shared.execute(request("GET", file.url, port, person), timeout: .seconds(60))
                    let bytes = Data(buffer: try await answer.body.collect(upTo: 60 * 1_048_576))
                    if bytes.range(of: Data(Eicar.bytes)) != nil { isInfected = true }
                }
                if isInfected { found.infected += 1 } else { found.clean += 1 }
            }
            cursor = page.pagination.nextCursor
        } while cursor != nil
        return found
    }

    private func film(_ number: Int, sizes: [Int], _ generator: inout SplitMix64) -> (file: Data, isInfected: Bool) {
        var film = Film.bytes(sizes[number % sizes.count], isRandom: true)
        let isInfected = number % 3 != 0
        guard isInfected else { return (film, false) }
        // Positions: after the boxes at the start, at the end, across a chunk boundary, and a random one.
        let last = film.count - Eicar.bytes.count
        let places = [
            400, last, min(last, 65_536 - 30), min(last, 1_048_576 - 30), Int.random(in: 400...max(400, last), using: &generator),
        ]
        let place = min(places[number % places.count], last)
        film.replaceSubrange(place..<place + Eicar.bytes.count, with: Eicar.bytes)
        return (film, true)
    }

    private func run(_ total: Int, sizes: [Int], _ pair: StoragePair = .embedded, clamd: ClamdService?, disturb: Bool) async throws -> (
        sent: [Sent], during: Int, after: Found
    ) {
        let installation = try Installation(pair, clamd: clamd?.address)
        let server = try installation.node("one")
        let person = try installation.person()
        let port = server.port
        let watch = Task {
            var seen = 0
            while !Task.isCancelled {
                do { seen = max(seen, try await look(port, person, readingAll: false).infected) } catch is CancellationError { break }
                try? await Task.sleep(for: .milliseconds(20))
            }
            return seen
        }
        var generator = SplitMix64(seed: 17)
        var sent: [Sent] = []
        try await withThrowingTaskGroup(of: Sent.self) { group in
            var begun = 0
            func begin() {
                guard begun < total else { return }
                let (file, isInfected) = film(begun, sizes: sizes, &generator)
                let number = begun
                begun += 1
                group.addTask { try await send(file, isInfected: isInfected, number, port, person) }
            }
            for _ in 0..<4 { begin() }
            while let one = try await group.next() {
                sent.append(one)
                CampaignScale.progress(sent.count, of: total)
                if disturb, sent.count % max(8, total / 10) == 4 { try clamd?.kill() }
                if disturb, sent.count % max(8, total / 10) == 7 { try clamd?.start() }
                begin()
            }
        }
        watch.cancel()
        let during = try await watch.value
        let after = try await look(port, person, readingAll: true)
        #expect(server.terminate() == 0)
        return (sent, during, after)
    }

    @Test(
        "no infected file is readable, not even during its scan or while the scanner is killed; the clean files are",
        arguments: CampaignScale.pairs)
    func viruses(_ pair: StoragePair) async throws {
        guard CampaignScale.runs("viruses") else { return }
        let isFull = CampaignScale.isFull("viruses")
        let clamd = try ClamdService(port: pair == .embedded ? 13_361 : 13_363)
        // radosgw keeps its objects in memory, which has room for 2 GB.
        let (full, small) = pair == .embedded ? (600, 40) : (120, 24)
        let sizes = [600, 5_000, 70_000, 1_200_000, 5_000_000] + (isFull ? [20_000_000, 50 * 1_048_576] : [])
        let result = try await run(isFull ? full : small, sizes: sizes, pair, clamd: clamd, disturb: true)
        let clean = result.sent.filter { !$0.isInfected }
        let infected = result.sent.filter(\.isInfected)
        let kept = clean.count { $0.status == 200 }
        let away = result.sent.count { $0.status == 503 }
        print(
            "viruses campaign, \(pair): \(infected.count) infected, \(clean.count) clean, \(away) while the scanner was away; readable: \(result.after.infected) infected, \(result.after.clean) clean; seen during scans: \(result.during)"
        )
        #expect(infected.allSatisfy { [422, 503, 0].contains($0.status) })
        #expect(clean.allSatisfy { [200, 503, 0].contains($0.status) })
        #expect(infected.contains { $0.status == 422 } && kept > 0 && away > 0)
        #expect(result.after.infected == 0 && result.during == 0)
        #expect(result.after.clean == kept)
    }

    @Test("control: without a scanner infected files are readable")
    func control() async throws {
        guard CampaignScale.runs("viruses") else { return }
        let result = try await run(6, sizes: [600, 70_000], clamd: nil, disturb: false)
        #expect(result.after.infected == 4 && result.after.clean == 2)
    }

    @Test("while the scanner stalls, no file is readable; the uploads end with 503 and nothing is kept", arguments: CampaignScale.pairs)
    func stalled(_ pair: StoragePair) async throws {
        guard CampaignScale.isFull("viruses") else { return }
        let clamd = try ClamdService(port: pair == .embedded ? 13_362 : 13_364)
        let installation = try Installation(pair, clamd: clamd.address)
        let server = try installation.node("one")
        let person = try installation.person()
        try clamd.pause()
        let port = server.port
        async let sent = send(Film.bytes(5_000_000), isInfected: false, 1, port, person)
        try await Task.sleep(for: .seconds(3))
        let meanwhile = try await look(port, person, readingAll: true)
        #expect(meanwhile.clean + meanwhile.infected == 0)
        let answer = try await sent
        try clamd.resume()
        #expect(answer.status == 503)
        let after = try await look(port, person, readingAll: true)
        #expect(after.clean + after.infected == 0)
        #expect(server.terminate() == 0)
        #expect(try await installation.fileCount() == 0)
    }
}
