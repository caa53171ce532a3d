/// What SQLite asks of the samples in blocks. It checks again whatever is not said here.
struct PackedSampleQuestion {
  /// How a question travels from planning to the cursor, as `idxNum`.
  struct Parts: OptionSet {
    let rawValue: Int32

    static let type = Parts(rawValue: 1)
    static let startFrom = Parts(rawValue: 2)
    static let startUpTo = Parts(rawValue: 4)
    static let change = Parts(rawValue: 8)
    static let changeFrom = Parts(rawValue: 16)
    static let changeUpTo = Parts(rawValue: 32)
    static let uuid = Parts(rawValue: 64)
    /// In order of the change log; else in order of start, then of the change log.
    static let byChange = Parts(rawValue: 128)
    static let descending = Parts(rawValue: 256)

    /// The parts that come with a value, in the order of the values.
    static let withValues: [Parts] = [
      .type, .startFrom, .startUpTo, .change, .changeFrom, .changeUpTo, .uuid,
    ]
  }

  /// A UUID of version 8.
  struct WantedUUID {
    var high: UInt64
    var low: UInt64
    /// In which its sample ends.
    var millisecond: ClosedRange<Int64>
  }

  var type: Int64?
  var starts: ClosedRange<Int64> = .min ... .max
  var changes: ClosedRange<Int64> = .min ... .max
  /// nil if none is asked for.
  var uuid: WantedUUID?
  var isByChange = false
  var isDescending = false
  /// Nothing can match.
  var isEmpty = false
}
