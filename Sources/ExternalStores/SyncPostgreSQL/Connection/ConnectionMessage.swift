/// What libpq says of a connection that did not come about. Not to be shown: it tells what it is about, and
/// the codes of servers.
struct ConnectionMessage {
  private let text: String

  init(_ text: String) {
    self.text = text
  }

  /// Of several servers the last counts.
  var failure: DatabaseFailure {
    if let state = serverState { return .server(ServerError(state: state)) }
    return .unreachable(Self.signs.first { text.contains($0.words) }?.obstacle ?? .brokenOff)
  }

  /// After the severity, which may be in any language: "FATAL:  28P01".
  private var serverState: String? {
    let last = text.split(separator: "\n").last { !$0.isEmpty } ?? ""
    guard let code = last.split(separator: " ").last, code.utf8.count == 5,
      code.utf8.allSatisfy({ (48...57).contains($0) || (65...90).contains($0) }),
      code.utf8.contains(where: { (48...57).contains($0) })
    else { return nil }
    return String(code)
  }

  /// libpq's words, in English as long as nobody calls setlocale(3). The first that fits counts.
  private static let signs: [(words: String, obstacle: DatabaseFailure.Obstacle)] = [
    ("no password supplied", .noPassword),
    ("does not match host name", .otherHost),
    ("certificate verify failed", .untrustedCertificate),
    ("server does not support SSL", .noTLS),
    ("root certificate file", .unreadableCertificateFile),
    ("certificate file", .unreadableCertificateFile),
    ("private key file", .unreadableCertificateFile),
    ("SSL", .tlsFailed),
    ("translate host name", .unknownHost),
    ("parse network address", .unknownHost),
    ("Connection refused", .refused),
    ("No such file or directory", .noSocket),
    ("unreachable", .noRoute),
    ("No route to host", .noRoute),
    ("timed out", .noRoute),
    ("session is", .unfitServer),
    ("server is", .unfitServer),
  ]
}
