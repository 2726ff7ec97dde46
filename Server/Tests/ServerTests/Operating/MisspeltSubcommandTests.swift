import Testing

@testable import keepsake

@Suite("Misspelt subcommands")
struct MisspeltSubcommandTests {
    @Test(
        "a word that is no subcommand is named with the nearest one, at every level",
        arguments: [
            ("bakcup", "There is no subcommand bakcup; did you mean backup?"),
            ("bakcup /mnt/backup", "There is no subcommand bakcup; did you mean backup?"),
            ("Doctor", "There is no subcommand Doctor; did you mean doctor?"),
            ("servr --port 8080", "There is no subcommand servr; did you mean serve?"),
            ("serch lake", "There is no subcommand serch; did you mean search?"),
            ("users lsit", "There is no subcommand users lsit; did you mean users list?"),
            ("jobs retyr --all", "There is no subcommand jobs retyr; did you mean jobs retry?"),
        ])
    func nearest(_ line: String, _ message: String) {
        let found = MisspeltSubcommand.find(in: line.split(separator: " ").map(String.init), of: KeepsakeCommand.self)
        #expect(found?.description == message)
    }

    @Test(
        "subcommands, their arguments, flags, words that resemble no subcommand, and places of backups are not mistakes",
        arguments: [
            "", "serve", "users list", "users", "users reset servr", "search lsit", "help bakcup", "--version", "--hlep", "nonsense",
            "users nonsense", "backup lsit", "backup /mnt/backup", "queue lsit",
        ])
    func noMistake(_ line: String) {
        #expect(MisspeltSubcommand.find(in: line.split(separator: " ").map(String.init), of: KeepsakeCommand.self) == nil)
    }
}
