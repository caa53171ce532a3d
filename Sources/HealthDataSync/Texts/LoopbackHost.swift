/// Whether a host is this machine, which what is sent to it does not leave.
package enum LoopbackHost {
  /// - Parameter host: a name or a number, without brackets and port. The name service is not asked: what a
  ///   name stands for may change.
  package static func isOne(_ host: String) -> Bool {
    if host.lowercased() == "localhost" || host == "::1" { return true }
    let bytes = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return bytes.count == 4 && bytes.first == 127 && !bytes.contains(nil)
  }
}
