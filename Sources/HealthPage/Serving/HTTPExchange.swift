import CMicroHTTPD
import Glibc

/// A request and its response, on the thread of the server.
final class HTTPExchange {
  enum Phase {
    /// libmicrohttpd has read the first line of the request.
    case begun
    /// libmicrohttpd has read the head; the body is incomplete.
    case receiving(HTTPRequest)
    /// A task computes the response.
    case answering(isChange: Bool)
    case answered(PageResponse, ResponseBody)
    /// libmicrohttpd sends the response.
    case sent(ResponseBody?)
  }

  /// The body of a rejected request is read up to this size in bytes, so that the client finishes sending and
  /// reads the response.
  private static let maximumRefusedBody = 262_144

  let number: Int
  /// libmicrohttpd's connection.
  let connection: OpaquePointer
  let socket: Int32
  let handler: any HTTPHandler
  private let target: String

  var phase = Phase.begun
  /// The error to send after the rest of the request has been read.
  private(set) var refusal: PageError?
  private var body: [UInt8] = []
  /// Takes the body if it is a file.
  private(set) var upload: UploadedFile?
  private var received = 0
  var isSuspended = false
  var hasClientLeft = false

  init(
    _ number: Int, _ connection: OpaquePointer, _ socket: Int32, _ target: String, _ handler: any HTTPHandler
  ) {
    (self.number, self.connection, self.socket) = (number, connection, socket)
    (self.target, self.handler) = (target, handler)
  }

  /// Whether its task is cancelled when the client disconnects. A change is completed.
  var endsWithClient: Bool {
    if case .answering(isChange: true) = phase { return false }
    return true
  }

  // MARK: - The request

  func receiveHead(_ method: String) -> Bool {
    let request = HTTPRequest(method: method, target: target, fields: fields)
    phase = .receiving(request)
    do throws(PageError) {
      try request.checkForm()
      guard request.hasBody else { return true }
      try handler.check(request)
      upload = try handler.upload(for: request)
      if upload == nil, request.contentLength ?? 0 > PageRequest.largestBody { throw .tooLarge }
    } catch {
      refusal = error
      // The end of the request is unknown, or too far away to read up to it.
      let isEndless = (request.contentLength ?? 0) > Self.maximumRefusedBody || error.endsConnection
      if isEndless { return send(.refusal(error, of: request), nil) }
    }
    return true
  }

  private var fields: [HTTPRequest.Field] {
    var fields: [HTTPRequest.Field] = []
    withUnsafeMutablePointer(to: &fields) { fields in
      _ = MHD_get_connection_values(
        connection, .HEADER_KIND,
        { fields, _, name, value in
          fields?.assumingMemoryBound(to: [HTTPRequest.Field].self).pointee.append(
            (name.map { String(cString: $0) } ?? "", value.map { String(cString: $0) } ?? ""))
          return .YES
        }, fields)
    }
    return fields
  }

  /// Adds bytes to the body.
  /// - Returns: Whether to continue reading.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if let upload { return append(bytes, to: upload) }
    received += bytes.count
    if received > PageRequest.largestBody { refusal = refusal ?? .tooLarge }
    guard refusal == nil else { return received <= Self.maximumRefusedBody }
    body += bytes
    return true
  }

  /// After an error the rest is read and dropped, so that the client hears why.
  private func append(_ bytes: UnsafeRawBufferPointer, to upload: UploadedFile) -> Bool {
    guard refusal == nil else { return true }
    do throws(PageError) {
      try upload.append(bytes)
    } catch {
      refusal = error
    }
    return true
  }

  /// Returns the request with its body.
  func whole(_ request: HTTPRequest) -> HTTPRequest {
    var request = request
    (request.body, request.upload) = (body, upload)
    return request
  }

  // MARK: - The response

  /// Sends a response.
  /// - Parameter reader: The body of a streamed response.
  /// - Returns: Whether the connection stays open.
  func send(_ answer: PageResponse, _ reader: BodyReader?) -> Bool {
    phase = .sent(reader?.body)
    let made: OpaquePointer? =
      switch answer.body {
      case .bytes(let bytes):
        // libmicrohttpd copies the bytes.
        bytes.withUnsafeBytes {
          MHD_create_response_from_buffer(
            $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
        }
      case .file(let file):
        MHD_create_response_from_buffer(
          file.bytes.count, UnsafeMutableRawPointer(mutating: file.bytes.baseAddress), .RESPMEM_PERSISTENT)
      case .stream: reader?.response()
      }
    guard let response = made else { return false }
    // The queue holds its own reference.
    defer { MHD_destroy_response(response) }
    for (name, value) in answer.allFields { MHD_add_response_header(response, name, value) }
    return MHD_queue_response(connection, answer.status.rawValue, response) == .YES
  }
}

/// Reads a streamed body for libmicrohttpd.
final class BodyReader {
  let body: ResponseBody
  /// Called if no bytes are available: suspends the connection, so that libmicrohttpd stops asking.
  private let suspend: () -> Void

  init(_ body: ResponseBody, suspend: @escaping () -> Void) { (self.body, self.suspend) = (body, suspend) }

  /// Creates the response.
  /// - Returns: `nil` if memory is exhausted.
  func response() -> OpaquePointer? {
    MHD_create_response_from_callback(
      UInt64.max, 32_768,
      { reader, _, buffer, count in
        guard let reader, let buffer else { return CMICROHTTPD_END_WITH_ERROR }
        return Unmanaged<BodyReader>.fromOpaque(reader).takeUnretainedValue().read(
          into: UnsafeMutableRawBufferPointer(start: buffer, count: count))
      }, Unmanaged.passRetained(self).toOpaque(),
      { reader in
        if let reader { Unmanaged<BodyReader>.fromOpaque(reader).release() }
      })
  }

  private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    switch body.read(into: buffer) {
    case .bytes(let count): return count
    case .pending:
      suspend()
      return 0
    case .end: return CMICROHTTPD_END_OF_STREAM
    case .failure: return CMICROHTTPD_END_WITH_ERROR
    }
  }
}

extension HTTPRequest {
  /// Whether it changes something.
  var isChange: Bool { method == "POST" }
}
