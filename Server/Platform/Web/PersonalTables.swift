package import Database
import KeepsakeWire

extension IdempotencyStore: TableOwner {
    package static var personalTables: [PersonalTable] {
        [
            PersonalTable(
                "idempotency", owner: .column("account"), order: ["route", "key"],
                columns: [
                    .plain("route"), .json("answer"), .time("created_at"), .withheld("account"), .withheld("key"), .withheld("attempt"),
                    .withheld("lease_until"), .withheld("fingerprint"), .plain("row_bytes"), .plain("resources_left"),
                ],
                ending: .statement),
            PersonalTable(
                "idempotency_resource", owner: .column("account"), order: ["route", "key", "kind", "resource"],
                columns: [.plain("route"), .plain("kind"), .plain("resource"), .withheld("account"), .withheld("key")],
                ending: .cascade(from: "idempotency")),
        ]
    }
}

extension SharedBuckets: TableOwner {
    package static var personalTables: [PersonalTable] {
        [
            PersonalTable(
                "rate_bucket",
                owner: .texts("key") { account in
                    let outside = RateLimiter.Key(kind: .write, subject: .outside(account)).text
                    return RateClass.allCases.map { RateLimiter.Key(kind: $0, subject: .account(account)).text } + [outside]
                },
                order: ["key"], columns: [.time("full_at"), .withheld("key")], ending: .statement)
        ]
    }
}
