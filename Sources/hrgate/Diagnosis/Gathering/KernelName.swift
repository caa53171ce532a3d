import Glibc

/// The release and distribution of the running kernel.
///
/// Distributions name kernels after the series (6.1.0-20-amd64, 6.8.0-31-generic) and state the upstream
/// release elsewhere.
struct KernelName: Hashable {
  var release: String
  var isOfUbuntu = false

  /// Determines the upstream release.
  ///
  /// - Parameters:
  ///   - release: The output of `uname -r`.
  ///   - version: The output of `uname -v`. Debian's contains the release after the word Debian: "#1 SMP
  ///     Debian 6.1.90-1 …".
  ///   - signature: The line of `/proc/version_signature` of Ubuntu kernels: their own name and the release
  ///     ("Ubuntu 6.8.0-31.31-generic 6.8.1").
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
