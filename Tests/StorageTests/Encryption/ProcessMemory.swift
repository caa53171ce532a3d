import Foundation

@testable import HealthStorage

/// Searches the writable memory of this process.
enum ProcessMemory {
  private static let step = 1 << 20

  /// Returns the addresses at which the wanted bytes occur.
  static func places(of wanted: UnsafeRawBufferPointer) throws -> [UInt] {
    let maps = try KernelText.read("/proc/self/maps")
    let memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
    defer { close(memory) }
    // Occurrences in this buffer are not counted, because the search itself copies the bytes there.
    let buffer = try SecretBytes(count: step + wanted.count)
    var places: [UInt] = []
    for line in maps.split(separator: "\n") {
      let words = line.split(separator: " ")
      let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      guard words[1].hasPrefix("rw"), ends.count == 2 else { continue }
      for start in stride(from: ends[0], to: ends[1], by: step) {
        let count = pread(memory, buffer.start, min(buffer.count, Int(ends[1] - start)), off_t(start))
        places += found(wanted, in: buffer.start, max(count, 0)).map { start + UInt($0) }
      }
    }
    return buffer.withBytes { bytes in Set(places).filter { !bytes.covers($0) }.sorted() }
  }

  private static func found(
    _ wanted: UnsafeRawBufferPointer, in bytes: UnsafeMutablePointer<UInt8>, _ count: Int
  ) -> [Int] {
    guard let needle = wanted.baseAddress, let first = wanted.first else { return [] }
    var offsets: [Int] = []
    var offset = 0
    while offset + wanted.count <= count, let match = memchr(bytes + offset, Int32(first), count - offset) {
      offset = UnsafeRawPointer(match) - UnsafeRawPointer(bytes) + 1
      guard offset - 1 + wanted.count <= count else { break }
      if memcmp(match, needle, wanted.count) == 0 { offsets.append(offset - 1) }
    }
    return offsets
  }
}

/// Reads a file of the kernel completely. `String(contentsOfFile:)` reads only its first 4,096 bytes.
enum KernelText {
  static func read(_ path: String) throws -> String {
    let file = try FileHandle(forReadingFrom: URL(filePath: path))
    return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
  }
}

extension UnsafeRawBufferPointer {
  func covers(_ address: UInt) -> Bool {
    guard let baseAddress else { return false }
    let start = UInt(bitPattern: baseAddress)
    return start <= address && address < start + UInt(count)
  }
}
