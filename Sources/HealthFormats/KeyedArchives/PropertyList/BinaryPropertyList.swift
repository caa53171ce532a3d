/// A binary property list ("bplist00"), parsed into a graph of nodes.
///
/// Parsing takes time and memory proportional to the file size. Every node is parsed once, nodes do not
/// overlap, and shared nodes are not expanded. No container contains itself, and nesting is limited. A
/// traversal can still visit a shared node many times.
struct BinaryPropertyList {
  /// The bytes of the file.
  let bytes: [UInt8]
  /// The offset of each node in the file.
  let offsets: [Int]
  let nodes: [PropertyListNode]
  /// The index of the root node.
  let root: Int
  /// The length of each node in bytes.
  let lengths: [Int]
  let referenceWidth: Int

  init(parsing bytes: [UInt8], limits: ArchiveLimits) throws(ArchiveError) {
    let trailer = try Trailer(of: bytes, limits: limits)
    var parser = NodeParser(bytes: bytes, trailer: trailer)
    var offsets: [Int] = []
    var nodes: [PropertyListNode] = []
    var lengths: [Int] = []
    offsets.reserveCapacity(trailer.objectCount)
    nodes.reserveCapacity(trailer.objectCount)
    lengths.reserveCapacity(trailer.objectCount)
    for index in 0..<trailer.objectCount {
      let offset = try trailer.offset(ofObject: index, in: bytes)
      offsets.append(offset)
      let (node, length) = try parser.node(at: offset)
      nodes.append(node)
      lengths.append(length)
    }
    self.bytes = bytes
    self.offsets = offsets
    self.nodes = nodes
    self.lengths = lengths
    self.root = trailer.root
    self.referenceWidth = trailer.referenceWidth
    try checkNesting(limit: limits.depth)
  }

  /// Returns the index of the node to which a container's reference points. The parser has checked that the
  /// node exists.
  func target(_ position: Int, of references: PropertyListNode.References) -> Int {
    let start = references.start + position * referenceWidth
    return Int(truncatingIfNeeded: BigEndian.read(bytes[start..<start + referenceWidth]))
  }

  /// Returns the string of a node, or nil if the node is not a string.
  func string(_ index: Int) -> String? {
    if case .string(let text) = nodes[index] { text } else { nil }
  }
}

extension BinaryPropertyList {
  /// Maximum length of a key in bytes, longer than any key of a supported class. With it, a malicious file
  /// cannot make many dictionaries hash the same long key.
  private static let longestKey = 256

  /// Returns the entries of a dictionary by key, or nil if the node is not a dictionary.
  func entries(_ index: Int) throws(ArchiveError) -> [String: Int]? {
    guard case .dictionary(let keys, let values) = nodes[index] else { return nil }
    var entries: [String: Int] = [:]
    for position in 0..<keys.count {
      guard let key = string(target(position, of: keys)), key.utf8.count <= Self.longestKey,
        entries.updateValue(target(position, of: values), forKey: key) == nil
      else { throw ArchiveError(.malformed("key of a dictionary"), offset: offsets[index]) }
    }
    return entries
  }
}

extension BinaryPropertyList {
  /// The last 32 bytes of the file. They contain the offset of the offset table, the index of the root, and
  /// the number of objects.
  struct Trailer {
    static let length = 32
    static let signature = Array("bplist00".utf8)

    let offsetWidth: Int
    let referenceWidth: Int
    let objectCount: Int
    let root: Int
    /// The offset of the offset table, which is also the end of the objects.
    let table: Int

    init(of bytes: [UInt8], limits: ArchiveLimits) throws(ArchiveError) {
      guard bytes.count <= limits.bytes else { throw ArchiveError(.limitExceeded("bytes"), offset: 0) }
      guard bytes.starts(with: Self.signature) else {
        throw ArchiveError(Self.looksLikeXML(bytes) ? .xmlIsNotSupported : .notAnArchive, offset: 0)
      }
      let start = bytes.count - Self.length
      guard start > Self.signature.count else {
        throw ArchiveError(.malformed("trailer"), offset: bytes.count)
      }
      offsetWidth = Int(bytes[start + 6])
      referenceWidth = Int(bytes[start + 7])
      guard 1...8 ~= offsetWidth, 1...8 ~= referenceWidth else {
        throw ArchiveError(.malformed("width of offsets or references"), offset: start + 6)
      }
      let fields = stride(from: start + 8, to: bytes.count, by: 8).map { BigEndian.read(bytes[$0..<$0 + 8]) }
      guard let table = Int(exactly: fields[2]), table > Self.signature.count, table < start else {
        throw ArchiveError(.malformed("position of the offset table"), offset: start + 24)
      }
      guard fields[0] > 0, fields[0] <= UInt64((start - table) / offsetWidth) else {
        throw ArchiveError(.malformed("number of objects"), offset: start + 8)
      }
      guard fields[0] <= UInt64(limits.objects) else {
        throw ArchiveError(.limitExceeded("objects"), offset: start + 8)
      }
      guard fields[1] < fields[0] else {
        throw ArchiveError(.malformed("outermost object"), offset: start + 16)
      }
      objectCount = Int(fields[0])
      root = Int(fields[1])
      self.table = table
    }

    /// Returns the offset of an object. It is always before the offset table.
    func offset(ofObject index: Int, in bytes: [UInt8]) throws(ArchiveError) -> Int {
      let entry = table + index * offsetWidth
      let offset = BigEndian.read(bytes[entry..<entry + offsetWidth])
      guard offset >= UInt64(Self.signature.count), offset < UInt64(table) else {
        throw ArchiveError(.malformed("offset of an object"), offset: entry)
      }
      return Int(offset)
    }

    private static func looksLikeXML(_ bytes: [UInt8]) -> Bool {
      bytes.starts(with: "<?xml".utf8) || bytes.starts(with: "<plist".utf8)
    }
  }
}
