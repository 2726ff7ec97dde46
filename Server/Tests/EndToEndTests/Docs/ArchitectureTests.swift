import Foundation
import Testing

/// docs/architecture.md shows how to get from a route to its SQL. The files that it names must exist, and each must lead to the next.
@Suite("The architecture document")
struct ArchitectureTests {
    @Test("each of its routes leads to SQL through at most five files, and each file names the next")
    func routes() throws {
        let text = try String(contentsOfFile: Repository.folder + "/docs/architecture.md", encoding: .utf8)
        let start = try #require(text.range(of: "## From a route to its SQL"))
        let section = text[start.upperBound...].prefix { $0 != "#" }
        let routes = section.matches(of: /`[A-Z]+ (\/[^`]+)`:\n\n((?:\d\. .*\n)+)/)
        #expect(routes.count >= 5)
        for route in routes {
            let paths = route.output.2.matches(of: /`([^`]+)`/).map { String($0.output.1) }
            #expect((3...5).contains(paths.count), "\(route.output.1)")
            let files = try paths.map { try String(contentsOfFile: Repository.folder + "/" + $0, encoding: .utf8) }
            #expect(files[0].contains("\"\(route.output.1)\""), "\(paths[0]) does not declare \(route.output.1)")
            // The feature's file uses the endpoint through a value, not by its type. So the comparison of types starts with the feature's
            // file.
            for (file, next) in zip(1..., paths.dropFirst(2)) {
                let type = try #require(next.split(separator: "/").last?.prefix { $0.isLetter })
                #expect(files[file].contains(type), "\(paths[file]) does not name \(type)")
            }
            let last = try #require(files.last)
            #expect(last.contains(/SELECT|INSERT|\.insert\(/), "\(paths.last ?? "") has no SQL")
        }
    }
}
