import Foundation
import TestKit

/// Compares what a cluster holds with what its clients were told.
struct ClusterAudit {
    /// Acknowledged files, moods and capsules that are missing or different.
    var lost: [String] = []
    /// Files, moods and capsules beyond the acknowledged ones. There must be none, because every request was retried until it was
    /// acknowledged.
    var doubled = 0

    init(_ ledger: ClusterLedger, _ people: [ClusterLoad.Person], _ client: RetryingClient) async throws {
        for person in people.map(\.person) {
            let library = try await Self.ids("files", "fileId", "/api/users/user/\(person.id)/multimedia", person, client)
            let files = ledger.files[person.id] ?? [:]
            for (path, hash) in files {
                let answer = try await client.send("GET", path, as: person.token, timeout: ClusterLoad.transfer)
                if answer.status != 200 || Load.hash(answer.body) != hash { lost.append("file \(path): \(answer.status)") }
            }
            let capsules = ledger.capsules[person.id] ?? [:]
            let kept = try await Self.ids("capsules", "id", "/v0/capsules", person, client, isSnake: true)
            for (id, hash) in capsules {
                let answer = try await client.send("GET", "/v0/capsules/\(id)", as: person.token)
                guard let url = answer.json()["audio_url"] as? String else {
                    lost.append("capsule \(id): \(answer.status)")
                    continue
                }
                let sound = try await client.send("GET", url)
                if sound.status != 200 || Load.hash(sound.body) != hash { lost.append("recording of \(id): \(sound.status)") }
            }
            let moods = try await Self.ids("moods", "id", "/api/users/user/\(person.id)/moods", person, client)
            let acknowledged = ledger.moods[person.id] ?? []
            lost += acknowledged.subtracting(moods).map { "mood \($0)" }
            // The recordings of capsules are files of the library too.
            doubled += max(0, library.count - files.count - capsules.count)
            doubled += max(0, moods.count - acknowledged.count) + max(0, kept.count - capsules.count)
        }
    }

    /// The ids on all pages of a list. An id that is listed twice counts twice.
    private static func ids(
        _ name: String, _ id: String, _ path: String, _ person: CampaignPerson, _ client: RetryingClient, isSnake: Bool = false
    ) async throws -> [String] {
        var ids: [String] = []
        var cursor: String?
        repeat {
            let answer = try await client.send("GET", path + "?limit=100" + (cursor.map { "&cursor=\($0)" } ?? ""), as: person.token)
            let page = answer.json()
            ids += (page[name] as? [[String: Any]] ?? []).compactMap { $0[id] as? String }
            cursor = isSnake ? page["next_cursor"] as? String : (page["pagination"] as? [String: Any])?["nextCursor"] as? String
        } while cursor != nil
        return ids
    }
}
