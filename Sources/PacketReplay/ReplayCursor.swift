import Bluetooth
import Glibc
import PacketLog

/// A place in a log: the reader, what the host stack knows there, and the counts up to there.
///
/// A class, because the read buffer and the tables must have one owner; it never leaves its iterator.
final class ReplayCursor {
  /// How many records are read for one batch at most, so that a log with little to say still shows progress.
  private static let recordLimit = 4096

  private var reader: (any PacketLogReader)?
  private var observers: Observers
  private var translation: HostEventTranslation
  private let memory: ReplayMemory
  private let isContinued: Bool
  private let sections: LogSections
  /// The log goes on where another broke off.
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

  /// Reads on until there are `limit` events or enough records.
  ///
  /// - Returns: The events, possibly none; `nil` at the end of the log or at its damage, once all events are
  ///   out.
  func nextBatch(limit: Int) -> [CentralEvent]? {
    guard reader != nil else { return nil }
    let isAtEnd = Self.read(&reader, &observers, &translation, sections, &startsAfterDamage, limit: limit)
    if isAtEnd { reader = nil }
    let events = translation.takeEvents()
    return isAtEnd && events.isEmpty ? nil : events
  }

  /// Hands what was learnt on to the next log.
  func finish(wasStopped: Bool) {
    translation.tally.wasStopped = wasStopped
    // A silent pipe was given up, not broken.
    if wasStopped, translation.tally.damage?.code == .io(ECANCELED) { translation.tally.damage = nil }
    memory.remember(
      ReplayMemory.State(
        observers: observers, names: translation.names, links: translation.links,
        handles: translation.handles,
        wasDamaged: translation.tally.damage != nil),
      isContinued: isContinued && !wasStopped)
  }

  // The reader, the observers and the translation come apart, so that the closures may change each while
  // another is being used.
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
