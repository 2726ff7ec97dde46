/// The harmless test string that virus scanners detect as a virus by convention.
package enum Eicar {
    /// 68 bytes of ASCII. It is split into two literals, so that no scanner detects this file or the program as a virus.
    package static let bytes = Array((#"X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD-"# + second).utf8)
    @inline(never) private static var second: String { "ANTIVIRUS-TEST-FILE!$H+H*" }
}
