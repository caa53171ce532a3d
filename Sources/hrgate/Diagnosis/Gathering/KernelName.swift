import Glibc

/// Which release of the kernel runs, and whose. Distributions name theirs after the series (6.1.0-20-amd64,
/// 6.8.0-31-generic), and say elsewhere of which release of it they are made.
struct KernelName: Hashable {
  var release: String
  var isOfUbuntu = false

  /// - Parameters:
  ///   - release: As `uname -r` has it.
  ///   - version: As `uname -v` has it. Debian's has the release after its name: "#1 SMP Debian 6.1.90-1 …".
  ///   - signature: The line of `/proc/version_signature`, which Ubuntu's kernels have: their own name, and
  ///     the release ("Ubuntu 6.8.0-31.31-generic 6.8.1").
  init(release: String, version: String, signature: String?) {
    let words = version.split(separator: " ")
    let signed = signature?.split(separator: " ") ?? []
    isOfUbuntu = signed.first == "Ubuntu" || words.contains { $0.contains("Ubuntu") }
    if signed.count == 3 {
      self.release = String(signed[2])
    } else if let mark = words.firstIndex(of: "Debian"), words.indices.contains(mark + 1) {
      self.release = String(words[mark + 1])
    } else {
      self.release = release
    }
  }

  static func running(signature: String?) -> KernelName {
    var system = utsname()
    guard uname(&system) == 0 else { return KernelName(release: "", version: "", signature: signature) }
    return KernelName(release: text(system.release), version: text(system.version), signature: signature)
  }

  private static func text<Field>(_ field: Field) -> String {
    withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
