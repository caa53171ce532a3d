/// What there is to be asked for, by its path: nothing else is reached, and no path is taken apart.
struct PageRoutes: Sendable {
  typealias Route = @Sendable (Question) async throws -> PageAnswer

  var reads: [String: Route] = [:]
  var changes: [String: Route] = [:]
  let files: PageFiles
  /// Returns the number of damaged blocks met so far. Each response has it in a header field, so that the page
  /// requests `/api/damage` when it changes.
  var damagedBlocks: @Sendable (Question) -> Int = { _ in 0 }

  init(files: PageFiles = PageFiles()) { self.files = files }

  /// - Throws: ``PageFault``; what the route throws.
  func answer(_ question: Question, isChange: Bool) async throws -> PageAnswer {
    guard let route = isChange ? changes[question.path] : reads[question.path] else {
      if !isChange, let file = files.file(at: question.path) {
        return PageAnswer(file)
      }
      throw reads[question.path] == nil && changes[question.path] == nil ? PageFault.unknown : .method
    }
    var answer = try await route(question)
    answer.fields["X-HRGate-Damaged-Blocks"] = String(damagedBlocks(question))
    return answer
  }

  /// The style sheet.
  func look() throws(PageFault) -> PageAnswer {
    guard let file = files.file(at: PageAnswer.look) else { throw .unknown }
    return PageAnswer(file)
  }
}
