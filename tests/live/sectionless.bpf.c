/* SPDX-License-Identifier: BSD-2-Clause */
/* A function without a section that gives its type, and with types that no kernel accepts: an enum that is only
 * declared. */
enum later;
struct lens_odd {
	enum later *is;
};
int lens_no_type(struct lens_odd *odd)
{
	return !odd;
}
