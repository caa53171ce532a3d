import Bluetooth
import Glibc
import PacketLog

/// The state of reading a log: the reader, the observers, and the counts so far.
///
/// It is a class, because the buffer and tables must not be copied. Only one iterator uses it.
final class ReplayCursor {
  /// Maximum number of records per batch, so that the progress of a log with few events is visible.
  private static let recordLimit = 4096

  private var reader: (any PacketLogReader)?
  private var observers: Observers
  private var translation: HostEventTranslation
  private let memory: ReplayMemory
  private let isContinued: Bool
  private let sections: LogSections
  /// Whether the log continues one that was damaged at its end.
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

  /// Reads until there are `limit` events, or the maximum number of records is reached.
  /// - Returns: The events, possibly none; `nil` after the last event.
  func nextBatch(limit: Int) -> [CentralEvent]? {
    guard reader != nil else { return nil }
    let isAtEnd = Self.read(&reader, &observers, &translation, sections, &startsAfterDamage, limit: limit)
    if isAtEnd { reader = nil }
    let events = translation.drainEvents()
    return isAtEnd && events.isEmpty ? nil : events
  }

  /// Stores the knowledge gained from this log for the next one.
  func finish(wasStopped: Bool) {
    translation.tally.wasStopped = wasStopped
    // If the caller stopped a wait for data from a pipe, the log is not damaged.
    if wasStopped, translation.tally.damage?.code == .io(ECANCELED) { translation.tally.damage = nil }
    memory.remember(
      ReplayMemory.State(
        observers: observers, names: translation.names, links: translation.links,
        handles: translation.handles,
        wasDamaged: translation.tally.damage != nil),
      isContinued: isContinued && !wasStopped)
  }

  // Static with separate parameters, so that the closure can change one of them while `reader` is in use.
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
