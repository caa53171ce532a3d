internal import CZlib

/// Unpacks zlib's format (RFC 1950) in memory, up to a limit: for the small log of a bug report. The system's
/// programs unpack whole files.
enum Inflation {
  enum InflationError: Error {
    /// The bytes end before the packed data do.
    case truncated
    case malformed
    /// There is more than the limit allows.
    case tooLong
    case noMemory
  }

  /// - Parameter limit: the maximum number of bytes to return. They are reserved, but only the pages that are
  ///   written to take memory.
  static func unpack(_ packed: ArraySlice<UInt8>, upTo limit: Int) throws(InflationError) -> [UInt8] {
    var status = Z_MEM_ERROR
    var rest: (packed: UInt32, room: UInt32) = (0, 0)
    let unpacked = [UInt8](unsafeUninitializedCapacity: limit) { room, count in
      // zlib's state points back to its stream, which must not move meanwhile.
      var stream = z_stream()
      withUnsafeMutablePointer(to: &stream) { stream in
        packed.withUnsafeBufferPointer { packed in
          status = inflateInit_(stream, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
          guard status == Z_OK else { return }
          defer { inflateEnd(stream) }
          stream.pointee.next_in = UnsafeMutablePointer(mutating: packed.baseAddress)
          stream.pointee.avail_in = UInt32(clamping: packed.count)
          stream.pointee.next_out = room.baseAddress
          stream.pointee.avail_out = UInt32(clamping: room.count)
          status = inflate(stream, Z_FINISH)
          rest = (stream.pointee.avail_in, stream.pointee.avail_out)
          count = room.count - Int(rest.room)
        }
      }
    }
    switch status {
    case Z_STREAM_END: return unpacked
    case Z_BUF_ERROR where rest.room == 0: throw .tooLong
    case Z_BUF_ERROR where rest.packed == 0: throw .truncated
    case Z_MEM_ERROR: throw .noMemory
    default: throw .malformed
    }
  }

  /// Whether this is the header of zlib's format, without a dictionary that was agreed on before (RFC 1950,
  /// §2.2).
  static func isHeader(_ header: UInt16) -> Bool {
    let needsDictionary: UInt16 = 0x20
    return header.isMultiple(of: 31) && header >> 8 & 0x0F == 8 && header & needsDictionary == 0
  }
}
