internal import CZlib

/// Decompresses zlib data (RFC 1950) in memory, up to a limit. Used only for the small log in a bug report.
enum Inflation {
  enum InflationError: Error {
    /// The input ends before the compressed data does.
    case truncated
    case malformed
    /// The decompressed data is longer than the limit.
    case tooLong
    case noMemory
  }

  /// - Parameter limit: Maximum number of bytes to return. They are allocated at once, but only the pages
  ///   that are written use memory.
  static func unpack(_ packed: ArraySlice<UInt8>, upTo limit: Int) throws(InflationError) -> [UInt8] {
    var status = Z_MEM_ERROR
    var rest: (packed: UInt32, room: UInt32) = (0, 0)
    let unpacked = [UInt8](unsafeUninitializedCapacity: limit) { room, count in
      // zlib keeps a pointer to the stream, so the stream must stay at the same address.
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

  /// Returns whether this is a zlib header without a preset dictionary (RFC 1950, §2.2).
  static func isHeader(_ header: UInt16) -> Bool {
    let needsDictionary: UInt16 = 0x20
    return header.isMultiple(of: 31) && header >> 8 & 0x0F == 8 && header & needsDictionary == 0
  }
}
