import Foundation
import Synchronization

/// Has one thing at a time done with the radio, whatever asks for it, and tells how that stands: whoever
/// asked may be gone, and another browser looks on.
final class RadioDesk: Sendable {
  private struct Work: Sendable {
    let number: Int
    let perform: @Sendable (RadioDesk, Int) async throws -> Void
  }

  private struct State {
    var report = RadioReport()
    /// Takes the answer to the question that is open.
    var answered: AsyncStream<RadioAnswer>.Continuation?
    /// Cancels what runs.
    var cancel: (@Sendable () -> Void)?
    var questions = 0

    /// Whether nobody has stopped it, and nothing else took its place.
    func isWanted(_ number: Int) -> Bool { report.number == number && !report.isOver }
  }

  /// So many sentences are kept; more a pairing does not say.
  private static let mostSentences = 100
  /// So many monitors are told: the strongest.
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

  // MARK: - What is asked for

  /// - Throws: ``PageFault`` while a monitor is paired or forgotten.
  func hear(_ place: PageRadio.Place) throws(PageFault) -> RadioReport {
    try begin(.hear) { [radio] desk, number in
      try await radio.hear(place) { heard in
        desk.note(number) { $0.heard = Array(heard.prefix(Self.mostHeard)) }
      }
    }
  }

  func enrol(_ place: PageRadio.Place, _ wish: EnrolmentWish) throws(PageFault) -> RadioReport {
    try begin(.enrol, wish.monitor) { [radio] desk, number in
      let known = try await radio.enrol(place, wish, desk.talk(number))
      desk.note(number) { $0.enrolled = known }
    }
  }

  func forget(_ place: PageRadio.Place, _ address: String) throws(PageFault) -> RadioReport {
    try begin(.forget, address) { [radio] desk, number in
      try await radio.forget(place, address) { desk.say($0, number) }
    }
  }

  /// Who only listens makes room for somebody who wants more.
  private func begin(
    _ kind: RadioReport.Kind, _ monitor: String? = nil,
    _ perform: @escaping @Sendable (RadioDesk, Int) async throws -> Void
  ) throws(PageFault) -> RadioReport {
    let begun = state.withLock { state -> (report: RadioReport, cancel: (@Sendable () -> Void)?)? in
      guard state.report.isOver || state.report.kind == .hear else { return nil }
      state.report = RadioReport(number: state.report.number + 1, kind: kind, isOver: false)
      state.report.monitor = monitor
      return (state.report, state.cancel.take())
    }
    guard let begun else {
      throw .conflict("A monitor is being paired or forgotten: wait until that is over, or stop it.")
    }
    begun.cancel?()
    ordered.yield(Work(number: begun.report.number, perform: perform))
    return begun.report
  }

  /// Ends what runs.
  func stop() {
    let cancel = state.withLock { state in
      // What has not begun yet does not begin.
      if !state.report.isOver { state.report.isStopped = true }
      state.report.isOver = true
      state.report.question = nil
      return state.cancel.take()
    }
    cancel?()
  }

  /// - Throws: ``PageFault`` where no such question is open.
  func take(_ answer: RadioAnswer) throws(PageFault) {
    let answered = state.withLock { state -> AsyncStream<RadioAnswer>.Continuation? in
      guard state.report.question?.number == answer.question else { return nil }
      state.report.question = nil
      return state.answered.take()
    }
    guard let answered else { throw .absent("Nobody waits for that answer any more.") }
    answered.yield(answer)
    answered.finish()
  }

  // MARK: - What is done

  /// Does what is asked for, until the task is cancelled.
  func run() async {
    for await work in works {
      let task = Task { await perform(work) }
      let isWanted = state.withLock { state in
        guard state.isWanted(work.number) else { return false }
        state.cancel = { task.cancel() }
        return true
      }
      // It was stopped while the task began.
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
    } catch let failed as RadioFailure {
      failure = failed.sentence
    } catch is CancellationError {
      // Somebody stopped it.
    } catch {
      failure = error.localizedDescription
    }
    note(work.number) { [failure] report in
      report.isOver = true
      report.question = nil
      // Whoever stopped it need not be told that it failed.
      report.failure = Task.isCancelled ? nil : failure
    }
  }

  /// What belongs to something that is over by now is dropped.
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

  // MARK: - What is asked meanwhile

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

  /// - Returns: `nil` where it ends before somebody answers.
  private func ask(_ kind: RadioReport.Question.Kind, _ passkey: UInt32?, _ number: Int) async -> RadioAnswer?
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
    // bluetoothd may have given up first.
    note(number) { if $0.question?.number == question { $0.question = nil } }
    return answer
  }

  private static func digits(_ passkey: UInt32) -> String {
    let text = String(passkey)
    return String(repeating: "0", count: max(0, 6 - text.count)) + text
  }
}

/// How that stands which was last done with the radio.
struct RadioReport: Codable, Sendable, Hashable {
  enum Kind: String, Codable, Sendable {
    case hear
    case enrol
    case forget
  }

  /// What whoever pairs is asked.
  struct Question: Codable, Sendable, Hashable {
    enum Kind: String, Codable, Sendable {
      /// Which six digits does the monitor show?
      case passkey
      /// Does it show these?
      case compare
      /// No question: they are to be entered at the monitor.
      case show
    }

    var number: Int
    var kind: Kind
    var passkey: String?
  }

  /// Counts up; 0 where nothing was done yet.
  var number = 0
  /// Absent where nothing was done yet.
  var kind: Kind?
  var isOver = true
  /// Somebody stopped it, perhaps when it was done already: how monitors stand is told elsewhere.
  var isStopped: Bool?
  /// With which monitor, as it was named.
  var monitor: String?
  /// The strongest first.
  var heard: [HeardMonitor] = []
  /// What was done, and what is to be known, in that order.
  var sentences: [String] = []
  var question: Question?
  /// Known now.
  var enrolled: KnownMonitor?
  /// Why it came to nothing.
  var failure: String?
}

/// The answer to a ``RadioReport/Question``.
struct RadioAnswer: Codable, Sendable {
  var question: Int
  /// Absent to refuse.
  var passkey: String?
  var isSame: Bool?
}
