/// The UUIDs of a block's samples (``PackedIdentity``).
///
/// The bytes begin with the forms of the UUIDs: for each run of UUIDs of the same form, one byte for the form
/// and the length of the run in LEB128. Then follows the stored part of each UUID: nothing (form 0: `derived`
/// with the occurrence 0), the occurrence in LEB128 (form 1: `derived` with any other occurrence), two bytes
/// and a 64-bit word (form 2: `hashed`), or two words (form 3: `whole`). All words are little-endian.
enum IdentityColumn {
  private enum Form: UInt8 {
    case first, later, hashed, whole
  }

  static func append(_ identities: [PackedIdentity], to bytes: inout [UInt8]) {
    for run in runs(of: identities) {
      bytes.append(run.form.rawValue)
      LEB128.append(UInt64(run.count), to: &bytes)
    }
    for identity in identities {
      switch identity {
      case .derived(0): break
      case .derived(let occurrence): LEB128.append(UInt64(occurrence), to: &bytes)
      case .hashed(let high, let low):
        bytes.append(UInt8(truncatingIfNeeded: high))
        bytes.append(UInt8(high >> 8))
        LittleEndian.append(low, to: &bytes)
      case .whole(let high, let low):
        LittleEndian.append(high, to: &bytes)
        LittleEndian.append(low, to: &bytes)
      }
    }
  }

  /// Reads the UUIDs of the column.
  /// - Returns: The UUIDs; `nil` for bytes that `append` never writes.
  static func read(_ count: Int, _ reader: inout ColumnReader) -> [PackedIdentity]? {
    var runs: [(form: Form, count: Int)] = []
    var declared = 0
    while declared < count {
      guard let form = reader.byte().flatMap(Form.init), let length = reader.number(), length > 0,
        length <= UInt64(count - declared)
      else { return nil }
      runs.append((form, Int(length)))
      declared += Int(length)
    }
    var identities: [PackedIdentity] = []
    identities.reserveCapacity(count)
    for run in runs {
      for _ in 0..<run.count {
        guard let identity = identity(run.form, &reader) else { return nil }
        identities.append(identity)
      }
    }
    return identities
  }

  private static func identity(_ form: Form, _ reader: inout ColumnReader) -> PackedIdentity? {
    switch form {
    case .first: return .derived(occurrence: 0)
    case .later:
      guard let number = reader.number().flatMap({ UInt32(exactly: $0) }), number > 0 else { return nil }
      return .derived(occurrence: number)
    case .hashed:
      guard let first = reader.byte(), let second = reader.byte(), let low = reader.word() else { return nil }
      let high = UInt16(first) | UInt16(second) << 8
      guard high <= PackedIdentity.greatestHigh, low <= PackedIdentity.greatestLow else { return nil }
      return .hashed(high: high, low: low)
    case .whole:
      guard let high = reader.word(), let low = reader.word() else { return nil }
      return .whole(high: high, low: low)
    }
  }

  private static func runs(of identities: [PackedIdentity]) -> [(form: Form, count: Int)] {
    var runs: [(form: Form, count: Int)] = []
    for identity in identities {
      let form: Form =
        switch identity {
        case .derived(0): .first
        case .derived: .later
        case .hashed: .hashed
        case .whole: .whole
        }
      if runs.last?.form == form {
        runs[runs.count - 1].count += 1
      } else {
        runs.append((form, 1))
      }
    }
    return runs
  }
}
