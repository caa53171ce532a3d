internal import CCurl
internal import Foundation

/// What libcurl takes and gives of one request. Used on the thread of its connection alone.
final class Transfer {
  /// More than any server says of a bundle of ours.
  static let longestAnswer = 16 << 20

  private let body: Data
  private var sent = 0
  private var fields: [String: String] = [:]
  private var received = Data()
  private(set) var isTooLong = false

  init(_ body: Data?) { self.body = body ?? Data() }

  func answer(_ status: Int) -> HTTPAnswer {
    HTTPAnswer(
      status: status, location: fields["location"], retryAfter: fields["retry-after"], date: fields["date"],
      body: received)
  }

  // MARK: - What libcurl calls

  /// Has the handle ask this for the body, and tell it the answer. It must live until the request is over.
  func attach(to easy: UnsafeMutableRawPointer) {
    let this = Unmanaged.passUnretained(self).toOpaque()
    ccurl_set_data(easy, CURLOPT_READDATA, this)
    ccurl_set_data(easy, CURLOPT_HEADERDATA, this)
    ccurl_set_data(easy, CURLOPT_WRITEDATA, this)
    ccurl_set_reader(easy, CURLOPT_READFUNCTION) { bytes, size, count, this in
      Transfer.at(this).give(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
    }
    ccurl_set_writer(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, this in
      Transfer.at(this).takeField(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }
    ccurl_set_writer(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, this in
      Transfer.at(this).take(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }
  }

  private static func at(_ place: UnsafeMutableRawPointer?) -> Transfer {
    guard let place else { preconditionFailure("libcurl was given a transfer") }
    return Unmanaged<Transfer>.fromOpaque(place).takeUnretainedValue()
  }

  /// - Returns: how many octets of the body there were; 0 at its end.
  private func give(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    let part = body.dropFirst(sent).prefix(buffer.count)
    part.copyBytes(to: buffer)
    sent += part.count
    return part.count
  }

  /// A line of the head, of each answer anew: there may be a 100 before the one that counts.
  private func takeField(_ line: UnsafeRawBufferPointer) -> Int {
    let text = String(decoding: line, as: UTF8.self)
    if text.hasPrefix("HTTP/") { fields = [:] }
    let parts = text.split(separator: ":", maxSplits: 1)
    if parts.count == 2 {
      let value = parts[1].trimmingCharacters(in: .whitespacesAndNewlines)
      fields[parts[0].lowercased()] = fields[parts[0].lowercased()] ?? value
    }
    return line.count
  }

  /// - Returns: how many octets were taken; anything else than all ends the request.
  private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard received.count + bytes.count <= Self.longestAnswer else {
      isTooLong = true
      return 0
    }
    received.append(contentsOf: bytes)
    return bytes.count
  }
}
