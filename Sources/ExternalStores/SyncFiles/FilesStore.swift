import FileSystem
import Foundation
import Glibc
public import HealthDataSync
public import HealthKit

/// An external store that writes samples to files in a directory. Readers see only complete files.
public actor FilesStore: ExternalStore {
  private nonisolated let executor = DiskExecutor()
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Number of bytes to collect before they are written to a file. It limits how much memory the text of a
  /// page of changes takes.
  private static let chunk = 1 << 19

  private let address: FilesAddress
  private nonisolated let format: LineFormat
  private let now: @Sendable () -> Date
  private var writing: Writing?
  /// The task that publishes the current files when they reach the maximum age.
  private var showing: Task<Void, Never>?
  /// Whether the directory has existed during this run. If it is missing later, it is not created again,
  /// because its disk may be unmounted.
  private var wasThere = false

  /// The open directories and files.
  struct Writing {
    let visible: Folder
    let hidden: Folder
    /// The lock that keeps other programs from writing to the directory.
    let lock: FileLock
    var index: WrittenIndex
    var segment: Segment
  }

  /// Creates a store. The directory is opened by ``open(expecting:)``.
  public init(_ address: FilesAddress, identity: ExternalIdentity) {
    self.init(address, identity: identity, now: { Date() })
  }

  package init(_ address: FilesAddress, identity: ExternalIdentity, now: @escaping @Sendable () -> Date) {
    self.address = address
    self.now = now
    format = LineFormat(address.format, person: identity.person)
  }

  deinit { showing?.cancel() }

  /// Opens the directory and locks it, without a check for lost data.
  ///
  /// - Throws: The errors of ``open(expecting:)``.
  public func open() async throws { _ = try await open(expecting: nil) }

  /// Opens the directory, locks it, and publishes the files that an interrupted run left behind.
  ///
  /// If the marker shows that data was sent before, missing directories are not created: presumably the disk
  /// is not mounted.
  ///
  /// - Returns: The number of the last page of changes in the directory's index; `nil` without a marker.
  /// - Throws: `ExternalStoreError`: another program writes there, the directory cannot be used, or data is
  ///   missing.
  public func open(expecting marker: DestinationMarker?) async throws -> Int64? {
    await close()
    return try closingOnError { try openFolders(expecting: marker) }
  }

  private func openFolders(expecting marker: DestinationMarker?) throws -> Int64? {
    let (visible, hidden) = try folders(mayMake: marker?.isExpected != true)
    wasThere = true
    guard let lock = try hidden.lock("lock") else {
      throw ExternalStoreError(
        "another hrgate writes \(address.format.rawValue) into \(address.folder): give each its own directory",
        outlook: .passing)
    }
    var index = try WrittenIndex(hidden)
    let found = try index.sequence(of: marker?.id)
    if let expected = marker?.sequence {
      guard let found else {
        throw ExternalStoreError.lostData("\(address.folder) has other data than hrgate sent")
      }
      // The index lost pages, which the caller reports. Do not use it for recovery: that would cut off the
      // lines of those pages.
      guard found >= expected else { return found }
    }
    var position = index.segment
    if try Segment.recover(position, in: hidden, for: visible, format)
      || position.samples + position.deletions > 0
    {
      position = SegmentPosition(number: position.number + 1)
      try index.commit(position, [])
    }
    if let marker, found == nil {
      try index.commit(position, [], WrittenIndex.Mark(id: marker.id, sequence: 0))
    }
    let segment = Segment(position.number, on: day(), in: hidden, for: visible, format)
    writing = Writing(visible: visible, hidden: hidden, lock: lock, index: index, segment: segment)
    return marker == nil ? nil : found ?? 0
  }

  /// Opens the directory and hrgate's hidden directory in it.
  ///
  /// - Parameter mayMake: Whether to create missing directories. It is `false` if data was sent before,
  ///   because the disk may be unmounted.
  private func folders(mayMake: Bool) throws -> (visible: Folder, hidden: Folder) {
    do {
      let visible = try Folder(address.folder, mayMake: mayMake && !wasThere)
      return (visible, try Folder(".hrgate-\(address.format.rawValue)", in: visible, mayMake: mayMake))
    } catch {
      guard !mayMake, error.code == ENOENT else { throw error }
      throw ExternalStoreError.lostData("the data sent to \(address.folder) are missing")
    }
  }

  public func close() async {
    // Ignore an error, because the next `open` publishes the files.
    if writing != nil { try? closingOnError { try show() } }
    writing = nil
    showing?.cancel()
    showing = nil
  }

  /// Writes a page of changes and commits it to the index.
  ///
  /// - Returns: The records that the format cannot represent.
  /// - Throws: `ExternalStoreError`; `CancellationError`.
  public func upload(_ page: ChangePage) async throws -> [RejectedChange] {
    guard writing != nil else {
      throw notOpen
    }
    try Task.checkCancellation()
    return try closingOnError {
      let mark = page.marker.map { WrittenIndex.Mark(id: $0.id, sequence: $0.sequence ?? 0) }
      var rejections: [RejectedChange] = []
      let (deleted, added, isBack) = try newRecords(of: page)
      var segment = ""
      var apart = ""
      for uuid in deleted {
        let line = try format.deletion(of: uuid, type: page.type.identifier)
        if format.hasDeletionsApart { apart += line } else { segment += line }
      }
      var entries = deleted.map { IndexEntry.deleted($0) }
      // Files of deletions and files of samples have no order relative to each other. Publish the deletions
      // before a deleted sample is added again.
      if isBack, format.hasDeletionsApart {
        try write("", apart, entries)
        try show()
        apart = ""
        entries = []
      }
      for record in added {
        do {
          if format.isInAnother(record) { continue }
          segment += try format.lines(of: record, at: now())
          entries.append(
            .added(record.sample.uuid, second: IndexEntry.second(of: record.sample.startDate)))
        } catch let error as DataPoint.UnmappedError {
          rejections.append(RejectedChange(uuid: record.sample.uuid, reason: error.reason, isPermanent: true))
        } catch is EncodingError {
          rejections.append(
            RejectedChange(
              uuid: record.sample.uuid, reason: "the sample contains a number that JSON cannot represent"))
        }
        guard segment.utf8.count >= Self.chunk else { continue }
        try write(segment, apart, entries)
        (segment, apart, entries) = ("", "", [])
      }
      try write(segment, apart, entries, mark)
      return rejections
    }
  }

  public nonisolated func reasonToReject(_ type: HKSampleType) -> String? { format.reasonToReject(type) }

  /// Publishes the current files and clears the index of written samples, so that all samples are written
  /// again.
  /// - Throws: `ExternalStoreError`.
  public func reset() async throws {
    guard writing != nil else { throw notOpen }
    try closingOnError {
      try show()
      try writing?.index.forget()
    }
  }

  private var notOpen: ExternalStoreError {
    ExternalStoreError(
      "\(address.folder) is not open: the next attempt opens it", outlook: .passing)
  }

  // MARK: - Writing

  /// Returns the deletions and records of a page of changes that are not in the files yet, without
  /// duplicates. `isBack` is true if one of the records was deleted before.
  ///
  /// A record with `supersedes` is always written, because readers use the last line with a UUID. A sample
  /// that the page both deletes and adds counts as added.
  private func newRecords(of page: ChangePage) throws -> (
    deleted: [UUID], added: [ExternalRecord], isBack: Bool
  ) {
    guard let index = writing?.index else { throw notOpen }
    return try index.read { known in
      let present = Set(page.added.map(\.sample.uuid))
      var seen: Set<UUID> = []
      let deleted = try page.deleted.map(\.uuid).filter { uuid in
        guard !present.contains(uuid), seen.insert(uuid).inserted else { return false }
        return try !known.isDeleted(uuid)
      }
      var isBack = false
      let added = try page.added.filter { record in
        let sample = record.sample
        guard !seen.contains(sample.uuid) else { return false }
        let state = try known.state(of: sample.uuid, start: sample.startDate)
        isBack = isBack || state == .deleted
        guard state != .added || record.supersedes else { return false }
        return seen.insert(sample.uuid).inserted
      }
      return (deleted, added, isBack)
    }
  }

  /// Writes lines to the files and records them in the index.
  ///
  /// - Parameter mark: The page number to store in the index with these lines, if they are the last lines of
  ///   a page of changes.
  private func write(
    _ samples: String, _ deletions: String, _ entries: [IndexEntry], _ mark: WrittenIndex.Mark? = nil
  ) throws {
    guard !entries.isEmpty else {
      if let mark, let position = writing?.segment.position { try writing?.index.commit(position, [], mark) }
      return
    }
    if let segment = writing?.segment, !segment.isEmpty, !segment.isOf(day: day()) { try show() }
    let isFirst = writing?.segment.isEmpty ?? true
    if isFirst { try begin() }
    try writing?.segment.append(samples: samples, deletions: deletions)
    if let position = writing?.segment.position { try writing?.index.commit(position, entries, mark) }
    if let segment = writing?.segment, segment.bytes >= address.size {
      try show()
    } else if isFirst, writing?.segment.isEmpty == false {
      showLater()
    }
  }

  /// Starts new files, named after the current day.
  private func begin() throws {
    guard let present = writing else { return }
    writing?.segment = Segment(
      present.segment.position.number, on: day(), in: present.hidden, for: present.visible, format)
  }

  /// Publishes the current files and starts new ones.
  private func show() throws {
    showing?.cancel()
    showing = nil
    guard let present = writing, !present.segment.isEmpty else { return }
    try present.segment.publish()
    let next = SegmentPosition(number: present.segment.position.number + 1)
    try writing?.index.commit(next, [])
    writing?.segment = Segment(next.number, on: day(), in: present.hidden, for: present.visible, format)
  }

  private func showLater() {
    let age = address.age
    showing = Task { [weak self] in
      do { try await Task.sleep(for: age) } catch { return }
      await self?.showNow()
    }
  }

  /// Publishes the files when they reach the maximum age. If that fails, closes the store; the next `open`
  /// reports the error.
  private func showNow() {
    guard !Task.isCancelled else { return }
    try? closingOnError { try show() }
  }

  private func day() -> String { String(Timestamp.text(now()).prefix(10).filter(\.isNumber)) }

  // MARK: - Errors

  /// Runs `work`. If it fails, the store is closed, so that the next `open` restores a consistent state.
  private func closingOnError<Result>(_ work: () throws -> Result) throws -> Result {
    do {
      return try work()
    } catch {
      writing = nil
      showing?.cancel()
      showing = nil
      switch error {
      case let failure as FolderError: throw failure.error(in: address.folder)
      case is DamagedIndexError:
        throw ExternalStoreError(
          "hrgate's index in \(address.folder)/.hrgate-\(address.format.rawValue) is damaged: remove this "
            + "directory, and reset the destination, so that everything is written again", outlook: .lasting)
      default: throw error
      }
    }
  }
}

/// An executor that runs an actor's jobs on a separate dispatch queue, so that a slow disk does not block the
/// concurrency pool.
final class DiskExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "org.hrgate.sync.files")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
