import COpenSSL

/// What all uses of libcrypto share: buffers, DER, and the reasons of errors.
enum Libcrypto {
  /// The reason for the last error on this thread, in libcrypto's words. They quote no input.
  static var reason: String {
    defer { ERR_clear_error() }
    // The first error in the queue is the cause; the others are its consequences.
    guard let text = ERR_reason_error_string(ERR_get_error()) else { return "libcrypto gives no reason" }
    return String(cString: text)
  }

  /// Calls a closure with a buffer that reads these bytes.
  static func withBuffer<Result>(_ bytes: [UInt8], _ body: (OpaquePointer?) -> Result) -> Result {
    ERR_clear_error()
    return bytes.withUnsafeBytes { bytes in
      let buffer = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count))
      defer { BIO_free(buffer) }
      return body(buffer)
    }
  }

  /// Reads an object with its `d2i_` function.
  ///
  /// - Returns: `nil` on an error and when bytes follow the object. The caller frees the object.
  static func object(
    _ bytes: [UInt8], _ read: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> OpaquePointer?,
    free: (OpaquePointer?) -> Void
  ) -> OpaquePointer? {
    ERR_clear_error()
    return bytes.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return nil }
      var next: UnsafePointer<UInt8>? = start
      guard let object = read(&next, bytes.count) else { return nil }
      guard next == start + bytes.count else {
        free(object)
        return nil
      }
      return object
    }
  }

  /// The bytes that an `i2d_` function writes; `nil` on an error.
  static func bytes(_ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8]? {
    let count = Int(write(nil))
    guard count > 0 else { return nil }
    return [UInt8](unsafeUninitializedCapacity: count) { bytes, written in
      var next = bytes.baseAddress
      written = max(0, Int(write(&next)))
    }
  }

  /// The bytes of an `ASN1_STRING`, valid as long as it is.
  static func bytes(of text: UnsafePointer<ASN1_STRING>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: ASN1_STRING_get0_data(text), count: Int(ASN1_STRING_length(text)))
  }
}
