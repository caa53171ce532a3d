/// The request line and header fields of a request, and its body once it is complete.
struct HTTPRequest: Sendable {
  typealias Field = (name: String, value: String)

  let method: String
  /// The request target as the client sent it, including percent escapes.
  let target: String
  let fields: [Field]
  var body: [UInt8] = []
  /// The file that contains the body, if it is too large to be kept in memory.
  var upload: UploadedFile?

  /// Maximum size in bytes of one header field, and of the target and all header fields together. Browsers
  /// send a few hundred bytes, plus the cookies of all servers on this machine.
  private static let maximumField = 16_384
  private static let maximumHead = 32_768
  private static let maximumFields = 100

  /// Returns the values of all fields with a name, which must be given in lowercase.
  func values(of name: String) -> [String] {
    fields.lazy.filter { $0.name.lowercased() == name }.map(\.value)
  }

  /// Returns the first value of the field with a name.
  subscript(name: String) -> String? { values(of: name).first }

  /// Whether the header fields announce a body.
  var hasBody: Bool { isChunked || (contentLength ?? 0) > 0 }
  var contentLength: Int? { self["content-length"].flatMap(Self.length) }
  private var isChunked: Bool { self["transfer-encoding"] != nil }

  /// Rejects requests that libmicrohttpd accepts but RFC 9112 does not. Otherwise client and server might
  /// disagree about where a request ends.
  /// - Throws: ``PageError``.
  func checkForm() throws(PageError) {
    let sizes = fields.map { $0.name.utf8.count + $0.value.utf8.count }
    guard fields.count <= Self.maximumFields, sizes.allSatisfy({ $0 <= Self.maximumField }),
      sizes.reduce(target.utf8.count, +) <= Self.maximumHead
    else { throw .headTooLarge }
    guard !target.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f }),
      fields.allSatisfy({ !$0.name.isEmpty && $0.name.utf8.allSatisfy(Self.isTokenCharacter) })
    else { throw .malformed }
    let (encodings, lengths) = (values(of: "transfer-encoding"), values(of: "content-length"))
    guard encodings.count + lengths.count <= 1 else { throw .malformed }
    guard encodings.allSatisfy({ $0.lowercased() == "chunked" }) else { throw .transferEncoding }
    guard lengths.allSatisfy({ Self.length($0) != nil }) else { throw .malformed }
  }

  /// Parses a number that consists only of digits.
  private static func length(_ text: String) -> Int? {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
  }

  /// Returns whether a byte may be part of a field name: whether it is a `tchar` (RFC 9110, section 5.6.2).
  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}

/// The status codes that the page uses.
enum HTTPStatus: UInt32, Sendable, Hashable {
  case ok = 200
  case seeOther = 303
  case badRequest = 400
  case unauthorized = 401
  case forbidden = 403
  case notFound = 404
  case methodNotAllowed = 405
  case conflict = 409
  case contentTooLarge = 413
  case unsupportedMediaType = 415
  case misdirectedRequest = 421
  case locked = 423
  case tooManyRequests = 429
  case requestHeaderFieldsTooLarge = 431
  case notImplemented = 501
  case serviceUnavailable = 503
}
