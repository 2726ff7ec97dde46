/// The harmless string that every virus scanner takes for a virus, by agreement.
package enum Eicar {
    /// 68 bytes of ASCII. Written in two halves, so that no scanner takes this file, or our program, for one.
    package static let bytes = Array((#"X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD-"# + second).utf8)
    @inline(never) private static var second: String { "ANTIVIRUS-TEST-FILE!$H+H*" }
}
