/// A resource of the server's as it was when it was looked at. What takes its place names it, so that
/// what somebody else wrote in between stays.
struct ResourceVersion: Hashable, Sendable {
  let id: String
  let version: String

  /// Nil where the server does not say, or says what is none.
  init?(_ found: SearchAnswer.Found) {
    guard let id = found.id, let version = found.meta?.versionId, Self.isID(id), Self.isID(version) else {
      return nil
    }
    self.id = id
    self.version = version
  }

  /// As the field If-Match names it.
  var tag: String { "W/\"\(version)\"" }

  /// R4, the data type `id`.
  private static func isID(_ text: String) -> Bool { text.wholeMatch(of: #/[A-Za-z0-9.\-]{1,64}/#) != nil }
}
