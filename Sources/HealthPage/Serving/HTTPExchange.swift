import CMicroHTTPD
import Glibc

/// A request and its response. It is used only on the server's thread.
final class HTTPExchange {
  enum Phase {
    /// libmicrohttpd has read the request line, but not the header fields.
    case begun
    /// libmicrohttpd has read the header fields, but not the whole body.
    case receiving(HTTPRequest)
    /// A task is computing the response.
    case answering(isChange: Bool)
    case answered(PageResponse, ResponseBody)
    /// libmicrohttpd is sending the response.
    case sent(ResponseBody?)
  }

  /// Maximum number of bytes to read of a rejected request's body, so that the client finishes sending and
  /// then reads the response.
  private static let maximumRefusedBody = 262_144

  let number: Int
  /// libmicrohttpd's connection object.
  let connection: OpaquePointer
  let socket: Int32
  let handler: any HTTPHandler
  private let target: String

  var phase = Phase.begun
  /// The error to respond with once the rest of the request has been read.
  private(set) var requestError: PageError?
  private var body: [UInt8] = []
  /// The file to which the body is written, or `nil` to keep the body in memory.
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

  /// Whether the task is canceled when the client disconnects. The task of a request for a change is not.
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
      requestError = error
      // Do not read the rest of the request if its end is unknown or too far away.
      let isEndless = (request.contentLength ?? 0) > Self.maximumRefusedBody || error.endsConnection
      if isEndless { return send(.requestError(error, of: request), nil) }
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
  /// - Returns: Whether to read more of the request.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if let upload { return append(bytes, to: upload) }
    received += bytes.count
    if received > PageRequest.largestBody { requestError = requestError ?? .tooLarge }
    guard requestError == nil else { return received <= Self.maximumRefusedBody }
    body += bytes
    return true
  }

  /// Writes bytes to the file. After an error, the remaining bytes are read and discarded, so that the client
  /// gets the error response.
  private func append(_ bytes: UnsafeRawBufferPointer, to upload: UploadedFile) -> Bool {
    guard requestError == nil else { return true }
    do throws(PageError) {
      try upload.append(bytes)
    } catch {
      requestError = error
    }
    return true
  }

  /// Returns the request, with its body added.
  func whole(_ request: HTTPRequest) -> HTTPRequest {
    var request = request
    (request.body, request.upload) = (body, upload)
    return request
  }

  // MARK: - The response

  /// Sends a response.
  /// - Parameter reader: Reads the body of a streamed response.
  /// - Returns: Whether the connection stays open.
  func send(_ pageResponse: PageResponse, _ reader: BodyReader?) -> Bool {
    phase = .sent(reader?.body)
    let made: OpaquePointer? =
      switch pageResponse.body {
      case .bytes(let bytes):
        // libmicrohttpd makes a copy of the bytes.
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
    // Release this reference; libmicrohttpd's queue has its own.
    defer { MHD_destroy_response(response) }
    for (name, value) in pageResponse.allFields { MHD_add_response_header(response, name, value) }
    return MHD_queue_response(connection, pageResponse.status.rawValue, response) == .YES
  }
}

/// Provides a streamed body to libmicrohttpd.
final class BodyReader {
  let body: ResponseBody
  /// Suspends the connection while no bytes are available, so that libmicrohttpd does not poll for them.
  private let suspend: () -> Void

  init(_ body: ResponseBody, suspend: @escaping () -> Void) { (self.body, self.suspend) = (body, suspend) }

  /// Creates a response for libmicrohttpd.
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
  /// Whether the request may change data.
  var isChange: Bool { method == "POST" }
}
