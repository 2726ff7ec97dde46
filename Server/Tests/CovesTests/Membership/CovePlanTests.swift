import Core
import Database
import TestKit
import Testing

@testable import Coves
@testable import FeatureTestKit
@testable import keepsake

@Suite("Query plans of coves")
struct CovePlanTests {
    @Test("every list, and every statement of closing and erasing, finds its rows by an index", arguments: StoragePair.allCases)
    func plans(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, tables: nil) { server in
            let now = server.clock.now
            let database = server.backend.database
            var statements: [SQL] = [
                CoveMembership.count(of: "a"), CoveMembership.common("a", "b"), Membership.standing(of: "a", in: "c"),
                CoveStore.coves(of: "a"), CoveStore.createdCount(of: "a"), CoveStore.creator("a", seenBy: "b"),
                CoveStore.member("a", of: "c", seenBy: "b"), CoveStore.visibleMember("a", of: "c"),
                CoveStore.otherAdmin(of: "c", than: "a"), CoveStore.otherMember(of: "c", than: "a"), CoveStore.anyMember(of: "c"),
                CoveStore.acting("m"), CoveStore.someMembers(of: "c"),
                CoveStore.removal(of: "a", from: "c"), CoveStore.dropCover("f", of: "a"), CoveStore.dropCovers(of: "a", limit: 10),
                CoveStore.joined(by: "a"), CoveStore.created(by: "a"), CoveStore.deleteMembers("a", of: ["c", "d"]),
                CoveStore.setHidden(true, "a", in: ["c", "d"]),
                CoveStore.oldestAdmin(of: "c", besides: "a", isHidden: false),
                CoveStore.oldestMember(of: "c", besides: "a", isHidden: true), CoveStore.empty(among: ["c", "d"]),
                CoveStore.firstEnded(of: "a"), CoveStore.firstEnded(before: now), CoveStore.removeMembers(of: "c", limit: 10),
                CoveStore.removeRemovals(of: "c", limit: 10), CoveStore.eraseMembers(of: "a", limit: 10),
                InviteStore.invited(["+1"], to: "c"), InviteStore.openCount(of: "c", by: "a", now), InviteStore.members(["a"], of: "c"),
                InviteStore.receivedCount("+1", by: "a", now),
                InviteStore.visible(["a"], to: "b"), InviteStore.received("+1", by: "a", now),
                InviteStore.received("+1", by: "a", now, cove: "c"),
                InviteStore.received("+1", by: "a", now, id: "i"), InviteStore.delete(phone: "+1", cove: "c"),
                InviteStore.coves(inviting: "+1"), InviteStore.delete(phone: "+1"), InviteStore.deleteUseless(["+1"], of: "c", now),
                InviteStore.deleteUseless(of: "c", limit: 10, now),
                InviteStore.deleteExpired(before: now, limit: 10), InviteStore.delete(ofCove: "c", limit: 10),
                InviteStore.erase(of: "a", limit: 10), InviteStore.cancel("i", by: "a"), RecommendationStore.coves(of: "a"),
            ]
            for key in [nil, TimeKey(at: now, id: "x")] {
                statements.append(CoveStore.members(of: "c", seenBy: "a", after: key, limit: 11))
                for cove in [nil, "c"] {
                    statements.append(InviteStore.sent(by: "a", cove: cove, now, after: key, limit: 11))
                    statements.append(InviteStore.sent("i", by: "a", cove: cove, now))
                }
            }
            for statement in statements {
                let plan = try await QueryPlan(statement, on: database)
                #expect(!plan.steps.isEmpty && plan.faults.isEmpty, "\(plan)")
            }
            // These statements also read a bounded intermediate result.
            for (statement, index) in [
                (CoveMembership.keptCount(of: "a"), "cove_member_of"), (CoveStore.createdKeptCount(of: "a"), "cove_creator"),
                (CoveStore.changeCounts(of: "a", in: ["c", "d"], by: -1, wasHidden: false), "cove_member"),
                (CoveStore.endActing(for: "a", in: ["c", "d"]), "cove_member"), (InviteStore.keptCount(of: "c"), "cove_invite"),
                (InviteStore.keptCounts(to: ["+1", "+2"]), "cove_invite_phone"),
                (InviteStore.deleteUseless(to: "+1", limit: 10, now), "cove_invite_phone"),
            ] {
                let plan = try await QueryPlan(statement, on: database)
                let scans = plan.steps.filter { $0.contains("Seq Scan") || $0.contains("SCAN cove") }
                #expect(plan.uses(index) && scans.isEmpty, "\(plan)")
            }
            // These statements read a bounded set of rows, which they sort or group.
            let coves = ["c", "d"].map { RecommendationStore.SourceCove(id: $0, isLarge: $0 == "d") }
            let key = RecommendationKey(shared: 2, account: "x", asOf: now)
            for after in [nil, key] {
                let people = RecommendationStore.people(for: "a", in: coves, asOf: now, after: after, limit: 11)
                let plan = try await QueryPlan(people, on: database)
                #expect(!plan.steps.contains { $0.contains("Seq Scan") || $0.contains("SCAN cove") || $0.contains("SCAN pro") }, "\(plan)")
                #expect(plan.uses("cove_member_by_time"), "\(plan)")
            }
            let counts = try await QueryPlan(InviteStore.openCounts(to: ["+1", "+2"], by: "a", now), on: database)
            #expect(counts.uses("cove_invite_phone"), "\(counts)")
            let count = try await QueryPlan(InviteStore.openCount(of: "c", by: "a", now), on: database)
            if pair.engine == .sqlite { #expect(count.uses("COVERING INDEX cove_invite_sender_cove"), "\(count)") }
        }
    }
}
