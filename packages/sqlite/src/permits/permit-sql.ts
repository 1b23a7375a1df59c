import addFreed from "./sql/add-freed.sql";
import countLine from "./sql/count-line.sql";
import countPermits from "./sql/count-permits.sql";
import countRelease from "./sql/count-release.sql";
import forgetAllFreed from "./sql/forget-all-freed.sql";
import forgetFreed from "./sql/forget-freed.sql";
import forgetLine from "./sql/forget-line.sql";
import forgetPermitKey from "./sql/forget-permit-key.sql";
import forgetPermitKeys from "./sql/forget-permit-keys.sql";
import forgetPermits from "./sql/forget-permits.sql";
import forgetPermitsAfter from "./sql/forget-permits-after.sql";
import insertPermitKey from "./sql/insert-permit-key.sql";
import leaveLine from "./sql/leave-line.sql";
import lineUp from "./sql/line-up.sql";
import listPermitKeys from "./sql/list-permit-keys.sql";
import putPermit from "./sql/put-permit.sql";
import selectLastPermit from "./sql/select-last-permit.sql";
import selectPermit from "./sql/select-permit.sql";
import selectPermitKey from "./sql/select-permit-key.sql";
import selectPlace from "./sql/select-place.sql";
import selectReleases from "./sql/select-releases.sql";
import shortenLine from "./sql/shorten-line.sql";
import takeFreed from "./sql/take-freed.sql";
import updatePermitKey from "./sql/update-permit-key.sql";

/** The statements of permits, by name. */
export const PERMIT_SQL = {
  addFreed,
  countLine,
  countPermits,
  countRelease,
  forgetFreed,
  selectLastPermit,
  forgetPermitsAfter,
  forgetPermitKey,
  forgetLine,
  forgetAllFreed,
  forgetPermitKeys,
  forgetPermits,
  insertPermitKey,
  leaveLine,
  lineUp,
  listPermitKeys,
  putPermit,
  selectPermit,
  selectPermitKey,
  selectPlace,
  selectReleases,
  shortenLine,
  takeFreed,
  updatePermitKey,
};
