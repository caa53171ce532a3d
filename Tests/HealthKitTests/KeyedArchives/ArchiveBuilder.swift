import Foundation

/// A property list to be written. It may be invalid.
indirect enum Value {
  case null
  case bool(Bool)
  case int(Int)
  case real(Double)
  case data([UInt8])
  case string(String)
  case uid(Int)
  case array([Value])
  case dictionary([(String, Value)])
}

/// Writes binary property lists and keyed archives.
struct ArchiveBuilder {
  private var objects: [[UInt8]] = []
  /// Equal strings are stored once, as all writers do.
  private var strings: [String: Int] = [:]

  /// Returns a keyed archive of these objects. The first object has UID 1.
  static func archive(_ objects: [Value], root: Value = .uid(1), archiver: String = "NSKeyedArchiver") -> Data
  {
    let table = [Value.string("$null")] + objects
    return list(
      .dictionary([
        ("$version", .int(100_000)), ("$archiver", .string(archiver)), ("$objects", .array(table)),
        ("$top", .dictionary([("root", root)])),
      ]))
  }

  /// Returns the description of a class in a keyed archive.
  static func classNamed(_ name: String, _ ancestors: String...) -> Value {
    .dictionary([
      ("$classname", .string(name)),
      ("$classes", .array(([name] + ancestors).map(Value.string))),
    ])
  }

  static func list(_ value: Value) -> Data {
    var builder = ArchiveBuilder()
    let root = builder.add(value)
    return file(builder.objects, root: root)
  }

  /// Returns a file of encoded objects. References and offsets have four bytes.
  static func file(_ objects: [[UInt8]], root: Int, offsets given: [Int]? = nil) -> Data {
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(bytes.count)
      bytes += object
    }
    let table = bytes.count
    offsets = given ?? offsets
    for offset in offsets { bytes += bigEndian(offset, 4) }
    bytes += [0, 0, 0, 0, 0, 0, 4, 4]
    for field in [offsets.count, root, table] { bytes += bigEndian(field, 8) }
    return Data(bytes)
  }

  static func bigEndian(_ value: Int, _ width: Int) -> [UInt8] {
    (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  static func container(_ kind: UInt8, count: Int, _ references: [Int]) -> [UInt8] {
    [kind << 4 | 0xF, 0x12] + bigEndian(count, 4) + references.flatMap { bigEndian($0, 4) }
  }

  private mutating func add(_ value: Value) -> Int {
    let index = objects.count
    if case .string(let text) = value {
      if let known = strings[text] { return known }
      strings[text] = index
    }
    objects.append([])
    objects[index] = encode(value)
    return index
  }

  private mutating func encode(_ value: Value) -> [UInt8] {
    switch value {
    case .null: [0]
    case .bool(let value): [value ? 9 : 8]
    case .int(let value): [0x13] + Self.bigEndian(value, 8)
    case .real(let value): [0x23] + Self.bigEndian(Int(bitPattern: UInt(value.bitPattern)), 8)
    case .data(let bytes): [0x4F, 0x12] + Self.bigEndian(bytes.count, 4) + bytes
    case .string(let text):
      [0x6F, 0x12] + Self.bigEndian(text.utf16.count, 4) + text.utf16.flatMap { Self.bigEndian(Int($0), 2) }
    case .uid(let uid): [0x83] + Self.bigEndian(uid, 4)
    case .array(let elements): Self.container(0xA, count: elements.count, elements.map { add($0) })
    case .dictionary(let entries):
      Self.container(
        0xD, count: entries.count, entries.map { add(.string($0.0)) } + entries.map { add($0.1) })
    }
  }
}
