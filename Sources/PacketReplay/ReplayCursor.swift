import Bluetooth
import Glibc
import PacketLog

/// A position in a log: the reader, the state of the host stack, and the counts up to there.
///
/// It is a class because the read buffer and the tables need a single owner. It never leaves its iterator.
final class ReplayCursor {
  /// Maximum number of records per batch, so that a log with few events still shows progress.
  private static let recordLimit = 4096

  private var reader: (any PacketLogReader)?
  private var observers: Observers
  private var translation: HostEventTranslation
  private let memory: ReplayMemory
  private let isContinued: Bool
  private let sections: LogSections
  /// Whether the log continues one that ended with damage.
  private var startsAfterDamage: Bool

  var tally: ReplayTally { translation.tally }

  init(_ replay: PacketReplayCentral) {
    memory = replay.memory
    isContinued = replay.isContinued
    let progress = replay.progress
    sections = LogSections(path: replay.path, member: replay.member) { progress.isStopRequested }
    let known = memory.recall()
    observers = known.observers
    var handles = known.handles ?? MeasurementHandles(named: replay.measurementHandle)
    handles.beginLog()
    translation = HostEventTranslation(
      handles: handles, names: known.names, links: known.links,
      times: RecordTimes(latestPlausible: replay.latestPlausible))
    if known.handles != nil { observers.goOn(afterDamage: known.wasDamaged) }
    startsAfterDamage = known.wasDamaged
    do throws(PacketLogError) {
      let reader = try PacketLogFile.open(path: replay.path, member: replay.member) {
        progress.isStopRequested
      }
      translation.tally.format = reader.format
      translation.tally.totalBytes = reader.totalBytes
      self.reader = reader
    } catch {
      translation.tally.damage = error
    }
  }

  /// Reads until there are `limit` events or the maximum number of records was read.
  /// - Returns: The events, possibly none, or `nil` after the last event of a log that has ended or is
  ///   damaged.
  func nextBatch(limit: Int) -> [CentralEvent]? {
    guard reader != nil else { return nil }
    let isAtEnd = Self.read(&reader, &observers, &translation, sections, &startsAfterDamage, limit: limit)
    if isAtEnd { reader = nil }
    let events = translation.takeEvents()
    return isAtEnd && events.isEmpty ? nil : events
  }

  /// Passes the knowledge from this log on to the next one.
  func finish(wasStopped: Bool) {
    translation.tally.wasStopped = wasStopped
    // A stopped wait on a silent pipe is not damage.
    if wasStopped, translation.tally.damage?.code == .io(ECANCELED) { translation.tally.damage = nil }
    memory.remember(
      ReplayMemory.State(
        observers: observers, names: translation.names, links: translation.links,
        handles: translation.handles,
        wasDamaged: translation.tally.damage != nil),
      isContinued: isContinued && !wasStopped)
  }

  // A static function with separate parameters, so that the closures can mutate one of them while another one
  // is in use.
  private static func read(
    _ reader: inout (any PacketLogReader)?, _ observers: inout Observers,
    _ translation: inout HostEventTranslation, _ sections: LogSections, _ startsAfterDamage: inout Bool,
    limit: Int
  ) -> Bool {
    let recordLimit = translation.tally.records + Self.recordLimit
    var isAtEnd = false
    do throws(PacketLogError) {
      while translation.events.count < limit, translation.tally.records < recordLimit, !isAtEnd {
        isAtEnd =
          try reader?.readRecord { record, bytes in
            translation.begin(record)
            if startsAfterDamage {
              translation.interrupt(at: record.time)
              startsAfterDamage = false
            }
            observers.observe(record, bytes, sections) { translation.translate($0, at: $1) }
            if case .lost = record.content { translation.interrupt(at: record.time) }
          } != true
      }
    } catch {
      translation.tally.damage = error
      isAtEnd = true
    }
    translation.tally.bytesRead = reader?.bytesRead ?? 0
    translation.tally.sectionsOutOfOrder = sections.outOfOrder
    return isAtEnd
  }
}
