import Foundation

/// A keyed archive of one object, assembled byte by byte as another program might write it.
struct HandmadeArchive {
  enum Value {
    case integer(Int)
    case string(String)
    case uuid(UUID)
  }

  let data: Data

  init(className: String, fields: [(String, Value)]) {
    var list = PropertyListWriter()
    // `$objects` has `$null`, the object, its class, and then the objects to which its fields refer.
    let null = list.string("$null")
    let description = list.dictionary([
      ("$classname", list.string(className)),
      ("$classes", list.array([list.string(className), list.string("NSObject")])),
    ])
    let uuidClass = list.dictionary([
      ("$classname", list.string("NSUUID")),
      ("$classes", list.array([list.string("NSUUID"), list.string("NSObject")])),
    ])
    var referred = [null, -1, description, uuidClass]
    var entries: [(String, Int)] = [("$class", list.uid(2))]
    for (key, value) in fields {
      switch value {
      case .integer(let number):
        entries.append((key, list.integer(number)))
      case .string(let text):
        entries.append((key, list.uid(referred.count)))
        referred.append(list.string(text))
      case .uuid(let uuid):
        entries.append((key, list.uid(referred.count)))
        let bytes = withUnsafeBytes(of: uuid.uuid) { Array($0) }
        referred.append(list.dictionary([("NS.uuidbytes", list.data(bytes)), ("$class", list.uid(3))]))
      }
    }
    referred[1] = list.dictionary(entries)
    let root = list.dictionary([
      ("$version", list.integer(100_000)), ("$archiver", list.string("NSKeyedArchiver")),
      ("$top", list.dictionary([("root", list.uid(1))])), ("$objects", list.array(referred)),
    ])
    data = list.file(root: root)
  }
}

/// Writes binary property lists of fewer than 256 objects with two-byte offsets.
private struct PropertyListWriter {
  private var objects: [[UInt8]] = []

  private mutating func add(_ bytes: [UInt8]) -> Int {
    objects.append(bytes)
    return objects.count - 1
  }

  private func header(_ kind: UInt8, _ count: Int) -> [UInt8] {
    count < 15 ? [kind | UInt8(count)] : [kind | 0x0F, 0x11, UInt8(count >> 8), UInt8(count & 0xFF)]
  }

  mutating func string(_ text: String) -> Int { add(header(0x50, text.utf8.count) + text.utf8) }
  mutating func data(_ bytes: [UInt8]) -> Int { add(header(0x40, bytes.count) + bytes) }
  mutating func uid(_ number: Int) -> Int { add([0x80, UInt8(number)]) }

  mutating func integer(_ number: Int) -> Int {
    add([0x13] + withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) })
  }

  mutating func array(_ elements: [Int]) -> Int {
    add(header(0xA0, elements.count) + elements.map { UInt8($0) })
  }

  mutating func dictionary(_ entries: [(String, Int)]) -> Int {
    let keys = entries.map { string($0.0) }
    return add(header(0xD0, entries.count) + keys.map { UInt8($0) } + entries.map { UInt8($0.1) })
  }

  func file(root: Int) -> Data {
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(bytes.count)
      bytes += object
    }
    let table = bytes.count
    for offset in offsets { bytes += [UInt8(offset >> 8), UInt8(offset & 0xFF)] }
    bytes += [0, 0, 0, 0, 0, 0, 2, 1]
    for number in [objects.count, root, table] {
      bytes += withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) }
    }
    return Data(bytes)
  }
}
