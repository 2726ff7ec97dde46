package import Database
import KeepsakeWire

extension IdempotencyStore {
    package static var personalTable: PersonalTable {
        PersonalTable(
            "idempotency", owner: .column("account"), order: ["route", "key"],
            columns: [
                .plain("route"), .json("answer"), .time("created_at"), .withheld("account"), .withheld("key"), .withheld("attempt"),
                .withheld("lease_until"), .withheld("fingerprint"), .plain("row_bytes"),
            ],
            ending: .statement)
    }
}

extension SharedBuckets {
    package static var personalTable: PersonalTable {
        PersonalTable(
            "rate_bucket",
            owner: .texts("key") { account in RateClass.allCases.map { RateLimiter.Key(kind: $0, subject: .account(account)).text } },
            order: ["key"], columns: [.time("full_at"), .withheld("key")], ending: .statement)
    }
}
