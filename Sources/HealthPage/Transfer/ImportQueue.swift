package import AppleHealthExport
import Foundation
import HealthKit
package import HealthSystem
import Synchronization

/// Imports uploaded exports one at a time, and reports the progress, which every window of the page can show,
/// even after a reload.
final class ImportQueue: Sendable {
  private struct State {
    var report = ImportReport()
    var task: Task<Void, Never>?
    var isStopped = false
  }

  private let state = Mutex(State())
  private let executor = PageExecutor()

  var report: ImportReport { state.withLock { $0.report } }

  /// Starts an import.
  /// - Throws: ``PageError`` if the file is not an export, or another import is running.
  func begin(_ file: UploadedFile, into store: SystemStore) throws(PageError) -> ImportReport {
    if let importError = AppleHealthImport(path: file.path).importError { throw .notImported(importError) }
    let report = state.withLock { state -> ImportReport? in
      guard state.report.isOver else { return nil }
      state.report = ImportReport(number: state.report.number + 1, isOver: false)
      state.isStopped = false
      state.task = Task(executorPreference: executor) { await self.run(file, into: store) }
      return state.report
    }
    guard let report else {
      throw .conflict("Another import is running: wait until it has ended, or stop it.")
    }
    return report
  }

  /// Stops the import. Samples already read are stored.
  func stop() { state.withLock { $0.isStopped = true } }

  /// Waits until the task is canceled. Then stops a running import and waits for it to end.
  func run() async {
    while !Task.isCancelled { try? await Task.sleep(for: .seconds(86_400)) }
    stop()
    await state.withLock(\.task)?.value
  }

  private var isStopped: Bool { state.withLock { $0.isStopped } }

  private func run(_ file: UploadedFile, into store: SystemStore) async {
    let reading = AppleHealthImport(path: file.path, isCancelled: { self.isStopped })
    let outcome = await reading.run(
      into: store.healthStore,
      progress: { outcome in self.state.withLock { $0.report.take(outcome) } },
      isStopped: { self.isStopped })
    var failure = outcome.importError.map { PageError.notImported($0).message }
    failure = failure ?? outcome.failure.map { $0.localizedDescription }
    var taken: [StatedCharacteristic] = []
    if outcome.isComplete {
      do {
        taken = try await store.setMissing(outcome.characteristics)
      } catch {
        failure = error.localizedDescription
      }
    }
    withExtendedLifetime(file) {}
    state.withLock { [failure] state in
      state.report.take(outcome)
      state.report.characteristics = taken.map { TypeName.short(ofIdentifier: $0.type.rawValue) }
      state.report.failure = failure
      state.report.isOver = true
      state.task = nil
    }
  }
}

/// The progress or result of an import on the page.
struct ImportReport: Codable, Sendable, Hashable {
  /// The number of the import since the server started, starting from 1; 0 if there was none.
  var number = 0
  var isOver = true
  /// The number of bytes read of the export's XML.
  var bytesRead: Int64 = 0
  var totalBytes: Int64?
  /// The number of samples in the export, including samples that were not stored.
  var records = 0
  var stored = 0
  /// The number of samples that replaced an older version.
  var replaced = 0
  /// The number of samples that were not stored, because a newer version is stored.
  var outdated = 0
  /// The number of samples that were not stored, because they were already stored or occur twice in the
  /// export.
  var present = 0
  /// The number of samples that cannot be read, by reason.
  var rejected: [String: Int] = [:]
  /// The number of elements that this version does not import, by name.
  var unread: [String: Int] = [:]
  /// The user's characteristics, such as the date of birth, that the import set.
  var characteristics: [String] = []
  /// The reason why the import ended early.
  var failure: String?
  var isStopped: Bool?

  fileprivate mutating func take(_ outcome: ImportOutcome) {
    (bytesRead, totalBytes) = (outcome.bytesRead, outcome.totalBytes)
    (records, stored, replaced) = (outcome.records.records, outcome.stored, outcome.replacing)
    (outdated, present) = (outcome.outdated, outcome.present)
    rejected = outcome.records.problems.reduce(into: [:]) {
      if !$1.key.isPartial { $0[$1.key.rawValue] = $1.value }
    }
    unread = outcome.records.unread
    isStopped = outcome.isStopped ? true : nil
  }
}

extension PageError {
  static func notImported(_ importError: ImportError) -> PageError {
    let text = importError.description
    var fault = PageError.argument("\(text.prefix(1).uppercased())\(text.dropFirst()).")
    fault.field = "file"
    return fault
  }
}

extension SystemStore {
  /// Sets those of the user's characteristics that are not set yet. Values in the store are not replaced.
  /// - Returns: The characteristics that were set.
  package func setMissing(_ stated: [StatedCharacteristic]) async throws -> [StatedCharacteristic] {
    let set = Set(try StatedCharacteristic.all(in: healthStore).map(\.type))
    let new = stated.filter { !set.contains($0.type) }
    for characteristic in new { try await setCharacteristic(characteristic.type, to: characteristic.value) }
    return new
  }
}
