/// A packet log, read once from its beginning to its end in bounded memory.
public protocol PacketLogReader {
  var format: PacketLogFormat { get }

  /// How far into the log the records delivered so far reach, in octets.
  var bytesRead: Int64 { get }

  /// The length of the log in octets, or `nil` where it cannot be known beforehand (a pipe, a terminal).
  var totalBytes: Int64? { get }

  /// Reads the next record and lends its octets to `body`, which is called once, or not at all at the end.
  ///
  /// - Returns: `false` at the sound end of the log, and at every call thereafter.
  /// - Throws: the damage that ends the log, with the offset of the record that it struck. All records before
  ///   it have been delivered by then; a further call throws the same.
  mutating func readRecord(
    _ body: (PacketLogRecord, RawSpan) -> Void
  ) throws(PacketLogError) -> Bool
}
