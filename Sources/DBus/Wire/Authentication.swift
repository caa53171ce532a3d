/// How a connection begins, before there are messages: the client's side, by EXTERNAL, which is the word of
/// the kernel for who we are. Descriptors are not agreed on, so the bus sends none. D-Bus specification,
/// "Authentication Protocol".
struct Authentication {
  /// What is sent first. The 0 is where credentials would go.
  let opening: [UInt8]
  /// What ends it. Messages follow.
  static let ending = Array("BEGIN\r\n".utf8)

  /// No server says more than this in a line.
  static let longestLine = 16 << 10

  private let user: UInt32
  private let guid: String?
  private var line: [UInt8] = []

  /// - Parameters:
  ///   - user: the effective one, for whom the kernel answers.
  ///   - guid: what the server has to call itself; nil for anything.
  init(user: UInt32, guid: String?) {
    // The number as text, and each character of that as two digits.
    let digits = String(user).utf8.map { String($0, radix: 16) }.joined()
    opening = [0] + Array("AUTH EXTERNAL \(digits)\r\n".utf8)
    self.user = user
    self.guid = guid
  }

  /// Takes one octet of the server's.
  ///
  /// - Returns: whether the server has taken us.
  /// - Throws: `BusError` with `.authenticationFailed` where it refuses us, with `.disconnected` where it is
  ///   another than is meant, or says what no server says.
  mutating func receive(_ octet: UInt8) throws(BusError) -> Bool {
    line.append(octet)
    guard line.count <= Self.longestLine else { throw Self.failure("says too much", line.prefix(40)) }
    guard line.suffix(2) == Self.lineEnd else { return false }
    let words = line.dropLast(2).split(separator: UInt8(ascii: " ")).map {
      String(decoding: $0, as: UTF8.self)
    }
    switch words.first {
    case "OK":
      guard guid == nil || words.dropFirst().first?.lowercased() == guid?.lowercased() else {
        throw Self.failure("is not the one that its address names", line)
      }
      return true
    case "REJECTED":
      throw Self.failure("does not take this user (number \(user))", line, .authenticationFailed)
    default: throw Self.failure("does not speak as a bus does", line)
    }
  }

  private static let lineEnd = ArraySlice("\r\n".utf8)

  private static func failure(
    _ what: String, _ line: some Sequence<UInt8>, _ name: BusError.Name = .disconnected
  ) -> BusError {
    // It goes to a terminal.
    let text = String(decoding: line.map { 0x20...0x7e ~= $0 ? $0 : UInt8(ascii: " ") }, as: UTF8.self)
    return BusError(name, "who answers at the address of the bus \(what): “\(text)”")
  }
}
