import Foundation
import Synchronization

/// Runs actions on monitors one at a time, and stores the state of the current one. An action continues if
/// the browser that started it disconnects, and all browsers can show its state.
final class RadioQueue: Sendable {
  private struct Work: Sendable {
    let number: Int
    let perform: @Sendable (RadioQueue, Int) async throws -> Void
  }

  private struct State {
    var report = RadioReport()
    /// Passes the user's answer to the action that asked.
    var answered: AsyncStream<RadioAnswer>.Continuation?
    /// Cancels the running action.
    var cancel: (@Sendable () -> Void)?
    var questions = 0

    /// Returns whether an action is still the current one and has not ended.
    func isWanted(_ number: Int) -> Bool { report.number == number && !report.isOver }
  }

  /// Maximum number of progress sentences that are kept. A pairing produces fewer.
  private static let mostSentences = 100
  /// Maximum number of monitors in the report, which contains those with the strongest signals.
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

  /// Starts a scan.
  /// - Throws: ``PageError`` while a monitor is being paired or forgotten.
  func hear(_ target: PageRadio.Target) throws(PageError) -> RadioReport {
    try begin(.hear) { [radio] radioQueue, number in
      try await radio.hear(target) { heard in
        radioQueue.note(number) { $0.heard = Array(heard.prefix(Self.mostHeard)) }
      }
    }
  }

  func enrol(_ target: PageRadio.Target, _ request: EnrolmentRequest) throws(PageError) -> RadioReport {
    try begin(.enrol, request.monitor) { [radio] radioQueue, number in
      let known = try await radio.enrol(target, request, radioQueue.talk(number))
      radioQueue.note(number) { $0.enrolled = known }
    }
  }

  func forget(_ target: PageRadio.Target, _ address: String) throws(PageError) -> RadioReport {
    try begin(.forget, address) { [radio] radioQueue, number in
      try await radio.forget(target, address) { radioQueue.say($0, number) }
    }
  }

  /// Starts an action. Stops a running scan, but throws an error while a monitor is being paired or
  /// forgotten.
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
      // This also cancels an action that is queued but has not started yet.
      if !state.report.isOver { state.report.isStopped = true }
      state.report.isOver = true
      state.report.question = nil
      return state.cancel.take()
    }
    cancel?()
  }

  /// Passes the user's answer to the action that asked.
  /// - Throws: ``PageError`` if no action is waiting for the answer to this question.
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

  /// Runs actions until the task is canceled.
  func run() async {
    for await work in works {
      let task = Task { await perform(work) }
      let isWanted = state.withLock { state in
        guard state.isWanted(work.number) else { return false }
        state.cancel = { task.cancel() }
        return true
      }
      // The action was stopped before its task was created.
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
      // The action was stopped, which is not an error.
    } catch {
      failure = error.localizedDescription
    }
    note(work.number) { [failure] report in
      report.isOver = true
      report.question = nil
      // If the action was stopped, do not report an error.
      report.failure = Task.isCancelled ? nil : failure
    }
  }

  /// Changes the report unless the action is over.
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

  private func talk(_ number: Int) -> PairingCallbacks {
    PairingCallbacks(
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
      report: { [self] in say($0, number) })
  }

  /// Asks the user a question and waits for the answer.
  /// - Returns: `nil` if the action ends before there is an answer.
  private func ask(_ kind: RadioReport.UserQuestion.Kind, _ passkey: UInt32?, _ number: Int) async
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
    // The pairing may have ended without the answer, so do not show the question any more.
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

  /// A question to the user while a monitor is being paired.
  struct UserQuestion: Codable, Sendable, Hashable {
    enum Kind: String, Codable, Sendable {
      /// The user has to enter the six digits that the monitor shows.
      case passkey
      /// The user has to confirm that the monitor shows these six digits.
      case compare
      /// The user has to enter these six digits on the monitor. No answer is needed.
      case show
    }

    var number: Int
    var kind: Kind
    var passkey: String?
  }

  /// The number of the action since the server started, starting from 1; 0 before the first one.
  var number = 0
  /// The kind of action; absent before the first action.
  var kind: Kind?
  var isOver = true
  /// Whether the user stopped the action. It may already have been complete; `/api/monitors` shows what it
  /// changed.
  var isStopped: Bool?
  /// The address or name of the monitor, as in the request.
  var monitor: String?
  /// The monitors found by a scan, strongest signal first.
  var heard: [HeardMonitor] = []
  /// Sentences about the progress, oldest first.
  var sentences: [String] = []
  var question: UserQuestion?
  /// The monitor that the action enrolled.
  var enrolled: KnownMonitor?
  /// The error that ended the action.
  var failure: String?
}

/// The user's answer to a ``RadioReport/UserQuestion``.
struct RadioAnswer: Codable, Sendable {
  var question: Int
  /// The six digits that the user entered; absent if the user refused.
  var passkey: String?
  var isSame: Bool?
}
