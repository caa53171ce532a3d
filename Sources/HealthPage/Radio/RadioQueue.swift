import Foundation
import Synchronization

/// A queue that runs one action on monitors at a time and keeps its state. An action does not depend on the
/// browser that started it, and other browsers can show it.
final class RadioQueue: Sendable {
  private struct Work: Sendable {
    let number: Int
    let perform: @Sendable (RadioQueue, Int) async throws -> Void
  }

  private struct State {
    var report = RadioReport()
    /// Receives the answer to the open question.
    var answered: AsyncStream<RadioAnswer>.Continuation?
    /// Cancels the running action.
    var cancel: (@Sendable () -> Void)?
    var questions = 0

    /// Whether an action is neither stopped nor replaced by another one.
    func isWanted(_ number: Int) -> Bool { report.number == number && !report.isOver }
  }

  /// Maximum number of progress sentences kept. A pairing needs fewer.
  private static let mostSentences = 100
  /// Maximum number of monitors reported: the strongest ones.
  private static let mostHeard = 100

  private let radio: PageRadio
  private let state = Mutex(State())
  private let works: AsyncStream<Work>
  private let ordered: AsyncStream<Work>.Continuation

  init(_ radio: PageRadio) {
    self.radio = radio
    (works, ordered) = AsyncStream.makeStream(of: Work.self)
  }

  var report: RadioReport { state.withLock { $0.report } }

  // MARK: - Requests

  /// - Throws: ``PageError`` while a monitor is paired or forgotten.
  func hear(_ place: PageRadio.Place) throws(PageError) -> RadioReport {
    try begin(.hear) { [radio] desk, number in
      try await radio.hear(place) { heard in
        desk.note(number) { $0.heard = Array(heard.prefix(Self.mostHeard)) }
      }
    }
  }

  func enrol(_ place: PageRadio.Place, _ wish: EnrolmentWish) throws(PageError) -> RadioReport {
    try begin(.enrol, wish.monitor) { [radio] desk, number in
      let known = try await radio.enrol(place, wish, desk.talk(number))
      desk.note(number) { $0.enrolled = known }
    }
  }

  func forget(_ place: PageRadio.Place, _ address: String) throws(PageError) -> RadioReport {
    try begin(.forget, address) { [radio] desk, number in
      try await radio.forget(place, address) { desk.say($0, number) }
    }
  }

  /// Starts an action. It replaces a scan, but not a pairing.
  private func begin(
    _ kind: RadioReport.Kind, _ monitor: String? = nil,
    _ perform: @escaping @Sendable (RadioQueue, Int) async throws -> Void
  ) throws(PageError) -> RadioReport {
    let begun = state.withLock { state -> (report: RadioReport, cancel: (@Sendable () -> Void)?)? in
      guard state.report.isOver || state.report.kind == .hear else { return nil }
      state.report = RadioReport(number: state.report.number + 1, kind: kind, isOver: false)
      state.report.monitor = monitor
      return (state.report, state.cancel.take())
    }
    guard let begun else {
      throw .conflict("A monitor is being paired or forgotten: wait until that has ended, or stop it.")
    }
    begun.cancel?()
    ordered.yield(Work(number: begun.report.number, perform: perform))
    return begun.report
  }

  /// Stops the current action.
  func stop() {
    let cancel = state.withLock { state in
      // An action that has not started does not start.
      if !state.report.isOver { state.report.isStopped = true }
      state.report.isOver = true
      state.report.question = nil
      return state.cancel.take()
    }
    cancel?()
  }

  /// Passes on the answer to the open question.
  /// - Throws: ``PageError`` if that question is not open.
  func take(_ answer: RadioAnswer) throws(PageError) {
    let answered = state.withLock { state -> AsyncStream<RadioAnswer>.Continuation? in
      guard state.report.question?.number == answer.question else { return nil }
      state.report.question = nil
      return state.answered.take()
    }
    guard let answered else { throw .absent("That question is no longer open.") }
    answered.yield(answer)
    answered.finish()
  }

  // MARK: - Running actions

  /// Runs the queued actions until the task is cancelled.
  func run() async {
    for await work in works {
      let task = Task { await perform(work) }
      let isWanted = state.withLock { state in
        guard state.isWanted(work.number) else { return false }
        state.cancel = { task.cancel() }
        return true
      }
      // It was stopped while the task was created.
      if !isWanted { task.cancel() }
      await withTaskCancellationHandler {
        await task.value
      } onCancel: {
        task.cancel()
      }
    }
  }

  private func perform(_ work: Work) async {
    guard state.withLock({ $0.isWanted(work.number) }) else { return }
    var failure: String?
    do {
      try await work.perform(self, work.number)
    } catch let failed as RadioError {
      failure = failed.sentence
    } catch is CancellationError {
      // It was stopped.
    } catch {
      failure = error.localizedDescription
    }
    note(work.number) { [failure] report in
      report.isOver = true
      report.question = nil
      // An action that was stopped reports no error.
      report.failure = Task.isCancelled ? nil : failure
    }
  }

  /// Changes the report, unless the action is over.
  private func note(_ number: Int, _ change: (inout RadioReport) -> Void) {
    state.withLock { state in
      guard state.isWanted(number) else { return }
      change(&state.report)
    }
  }

  private func say(_ sentence: String, _ number: Int) {
    note(number) { report in
      guard report.sentences.count < Self.mostSentences else { return }
      report.sentences.append(sentence)
    }
  }

  // MARK: - Questions to the user

  private func talk(_ number: Int) -> PairingTalk {
    PairingTalk(
      passkey: { [self] in
        guard let digits = await ask(.passkey, nil, number)?.passkey, digits.utf8.count <= 6 else {
          return nil
        }
        return UInt32(digits)
      },
      isSame: { [self] in await ask(.compare, $0, number)?.isSame == true },
      show: { [self] passkey in
        let digits = Self.digits(passkey)
        state.withLock { state in
          guard state.isWanted(number) else { return }
          state.questions += 1
          state.report.question = .init(number: state.questions, kind: .show, passkey: digits)
        }
      },
      tell: { [self] in say($0, number) })
  }

  /// Asks the user.
  /// - Returns: `nil` if the action ends before there is an answer.
  private func ask(_ kind: RadioReport.PageRequest.Kind, _ passkey: UInt32?, _ number: Int) async
    -> RadioAnswer?
  {
    let (answers, answered) = AsyncStream.makeStream(of: RadioAnswer.self)
    let question = state.withLock { state -> Int? in
      guard state.isWanted(number) else { return nil }
      state.questions += 1
      state.report.question = .init(number: state.questions, kind: kind, passkey: passkey.map(Self.digits))
      state.answered = answered
      return state.questions
    }
    guard let question else { return nil }
    let answer = await answers.first { _ in true }
    // bluetoothd may have ended the pairing first.
    note(number) { if $0.question?.number == question { $0.question = nil } }
    return answer
  }

  private static func digits(_ passkey: UInt32) -> String {
    let text = String(passkey)
    return String(repeating: "0", count: max(0, 6 - text.count)) + text
  }
}

/// The state of the current or last action.
struct RadioReport: Codable, Sendable, Hashable {
  enum Kind: String, Codable, Sendable {
    case hear
    case enrol
    case forget
  }

  /// A question to the user who pairs a monitor.
  struct PageRequest: Codable, Sendable, Hashable {
    enum Kind: String, Codable, Sendable {
      /// Which six digits does the monitor show?
      case passkey
      /// Does it show these?
      case compare
      /// Not a question: the user enters these digits on the monitor.
      case show
    }

    var number: Int
    var kind: Kind
    var passkey: String?
  }

  /// Number of the action, counted from 1; 0 before the first one.
  var number = 0
  /// Absent before the first action.
  var kind: Kind?
  var isOver = true
  /// Whether it was stopped. It may have been complete by then: the state of monitors is reported by
  /// `/api/monitors`.
  var isStopped: Bool?
  /// The monitor's address or name, as in the request.
  var monitor: String?
  /// Monitors found, the strongest first.
  var heard: [HeardMonitor] = []
  /// Progress, oldest first.
  var sentences: [String] = []
  var question: PageRequest?
  /// The monitor that was enrolled.
  var enrolled: KnownMonitor?
  /// The error that ended the action.
  var failure: String?
}

/// The answer to a ``RadioReport/PageRequest``.
struct RadioAnswer: Codable, Sendable {
  var question: Int
  /// The digits; absent to refuse.
  var passkey: String?
  var isSame: Bool?
}
