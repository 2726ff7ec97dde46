import Core
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import Accounts

@Suite struct MeTests {
    @Test(arguments: Engine.allCases) func `a person reads their own account and changes their name`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let signedIn = try await home.signUp(name: "Ada")
            let viewer = try await home.viewer(signedIn.token)
            #expect(try await home.feature.readMe(viewer) == signedIn.user)
            let update = home.feature.updateMe
            #expect(try await update(UpdateMeInput(name: .set("  Countess ")), viewer).name == "Countess")
            #expect(try await update(UpdateMeInput(name: .unchanged), viewer).name == "Countess")
            #expect(try await home.feature.readMe(viewer).name == "Countess")
            #expect(try await update(UpdateMeInput(name: .set("")), viewer).name == nil)
            #expect(try await update(UpdateMeInput(name: .set("Ada")), viewer).name == "Ada")
            #expect(try await update(UpdateMeInput(name: .clear), viewer).name == nil)
            #expect(try await home.feature.readMe(viewer).name == nil)
        }
    }

    @Test(arguments: Engine.allCases) func `a person chooses a time zone by its IANA name, and goes back to the server's`(
        _ engine: Engine
    ) async throws {
        try await AccountsHome.run(engine) { home in
            let signedIn = try await home.signUp(name: "Ada")
            let viewer = try await home.viewer(signedIn.token)
            #expect(signedIn.user.timeZone == nil)
            #expect(try await home.feature.timeZone(of: signedIn.user.id).identifier == "GMT")
            let update = home.feature.updateMe
            #expect(try await update(UpdateMeInput(timeZone: .set("America/New_York")), viewer).timeZone == "America/New_York")
            #expect(try await home.feature.timeZone(of: signedIn.user.id).identifier == "America/New_York")
            #expect(try await update(UpdateMeInput(name: .set("Countess")), viewer).timeZone == "America/New_York")
            for wrong in ["EST", "Mars/Olympus", "", "europe/berlin", "+02:00", String(repeating: "a/", count: 40)] {
                let problem = await #expect(throws: Problem.self) { try await update(UpdateMeInput(timeZone: .set(wrong)), viewer) }
                #expect(problem?.field == "time_zone", "\(wrong)")
            }
            // Devices use the first four names for UTC. The last one is a time zone whose name has no slash.
            for (name, shown) in [
                ("GMT", ["UTC"]), ("Zulu", ["UTC"]), ("UTC", ["UTC"]), ("Etc/UTC", ["Etc/UTC"]), ("Japan", ["Japan", "Asia/Tokyo"]),
            ] {
                let stored = try await update(UpdateMeInput(timeZone: .set(name)), viewer).timeZone
                #expect(stored.map { shown.contains($0) } == true, "\(name)")
                let zone = try await home.feature.timeZone(of: signedIn.user.id)
                #expect(zone.secondsFromGMT() == (name == "Japan" ? 32_400 : 0), "\(name)")
            }
            #expect(try await update(UpdateMeInput(timeZone: .clear), viewer).timeZone == nil)
        }
    }

    @Test(arguments: Engine.allCases) func `a person refuses outside engines and allows them again`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let signedIn = try await home.signUp(name: "Ada")
            let viewer = try await home.viewer(signedIn.token)
            #expect(signedIn.user.outsideEngines)
            #expect(try await home.feature.allowsOutsideEngines(signedIn.user.id))
            let update = home.feature.updateMe
            let refusing = try await update(UpdateMeInput(outsideEngines: .set(false)), viewer)
            #expect(!refusing.outsideEngines && refusing.name == "Ada")
            #expect(try await update(UpdateMeInput(name: .set("Countess")), viewer).outsideEngines == false)
            #expect(try await home.feature.allowsOutsideEngines(signedIn.user.id) == false)
            #expect(try await update(UpdateMeInput(outsideEngines: .clear), viewer).outsideEngines)
            #expect(try await home.feature.allowsOutsideEngines("nobody") == false)
        }
    }

    @Test(arguments: Engine.allCases) func `a name that is too long changes nothing`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let signedIn = try await home.signUp(name: "Ada")
            let viewer = try await home.viewer(signedIn.token)
            let refused = await problem {
                try await home.feature.updateMe(UpdateMeInput(name: .set(String(repeating: "n", count: 201))), viewer)
            }
            #expect(refused?.field == "name")
            #expect(try await home.feature.readMe(viewer).name == "Ada")
        }
    }

    @Test(arguments: Engine.allCases) func `nobody changes somebody else`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let ada = try await home.signUp("ada@x", name: "Ada")
            let eve = try await home.signUp("eve@x", name: "Eve")
            _ = try await home.feature.updateMe(UpdateMeInput(name: .set("Mallory")), try await home.viewer(eve.token))
            #expect(try await home.feature.readMe(try await home.viewer(ada.token)).name == "Ada")
        }
    }

    @Test(arguments: Engine.allCases) func `an account that is gone is answered 401`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let signedIn = try await home.signUp()
            let viewer = try await home.viewer(signedIn.token)
            try await home.deleteAccount(signedIn.user.id)
            #expect(await problem { try await home.feature.readMe(viewer) }?.kind == .unauthenticated)
            #expect(await problem { try await home.feature.updateMe(UpdateMeInput(name: .set("x")), viewer) }?.kind == .unauthenticated)
        }
    }

    @Test func `a body without a name leaves it, null clears it, and ids in it are ignored`() throws {
        let decoder = Surface.capsules.makeDecoder()
        func input(_ json: String) throws -> UpdateMeInput { try decoder.decode(UpdateMeInput.self, from: Data(json.utf8)) }
        #expect(try input("{}").name == .unchanged)
        #expect(try input(#"{"name":null}"#).name == .clear)
        #expect(try input(#"{"name":"A","id":"other","is_pro_user":true}"#).name == .set("A"))
    }
}
