import ArgumentParser
import FeatureKit

/// The flags of the features' settings. Every command of the server takes them.
///
/// ArgumentParser finds flags by the properties of a type, but the features' settings are values in a list. So this type's mirror has a
/// property for each setting. A new feature needs no edit here, and `--help`, the completion scripts and the manual page show its flags
/// like any other.
struct FeatureOptions: ParsableArguments, CustomReflectable {
    static let title = "Settings of features"

    private var texts: [String: String] = [:]

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        for setting in Self.settings {
            texts[setting.key] = try container.decode(Option<String?>.self, forKey: Key(stringValue: setting.key)).wrappedValue
        }
    }

    /// The last value that a flag gave to the setting; `nil` if there was no such flag.
    subscript(key: String) -> String? { texts[key] }

    var customMirror: Mirror {
        Mirror(self, children: Self.settings.map { (label: $0.key, value: Self.flag($0) as Any) })
    }

    private static var settings: [any FeatureSettingReader] { Features.types.flatMap { $0.settings } }

    private static func flag(_ setting: any FeatureSettingReader) -> Option<String?> {
        Option(
            name: .customLong(setting.key.replacing("_", with: "-")),
            help: ArgumentHelp("\(setting.help) (KEEPSAKE_\(setting.key.uppercased()))", valueName: "value"))
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
