import KeepsakeWire
import Testing
import Web

@Suite("Surfaces of paths")
struct PathSurfacesTests {
    @Test("the longest prefix of whole segments selects the surface; without a match it is surface 4")
    func longest() {
        let surfaces = PathSurfaces([
            PathSurface("/api", .multimedia), PathSurface("/api/chat", .chat), PathSurface("/api", .multimedia),
        ])
        for path in ["/api", "/api/", "/api/users", "/api/chats"] { #expect(surfaces.surface(of: path) == .multimedia, "\(path)") }
        for path in ["/api/chat", "/api/chat/rooms"] { #expect(surfaces.surface(of: path) == .chat, "\(path)") }
        for path in ["", "/", "/apix", "/v0/capsules"] { #expect(surfaces.surface(of: path) == .capsules, "\(path)") }
        #expect(PathSurfaces().surface(of: "/api") == .capsules)
    }
}
